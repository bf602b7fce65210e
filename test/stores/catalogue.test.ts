import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createConfirmations } from '../../adapters/stores/mongodb/empty-collections.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createManualClock } from '../support/clock.ts';
import { insertDocuments } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { type CatalogueUnderTest, describeCatalogueStore } from './catalogue.conformance.ts';

const openFiles = async (): Promise<CatalogueUnderTest> => {
  const { path: folder, write, close } = await createDocumentFolder();
  const files = createEmbeddedCatalogue({
    folder,
    clock: createManualClock(),
    rebaseToToday: false,
  });
  return {
    source: files,
    histories: files,
    write: ({ artists, history, labels }) => write({ artists, history, labels }),
    close,
  };
};

describeCatalogueStore('files', openFiles);

describe('with a MongoDB server', () => {
  const mongo = useMongo();
  const openDatabase = async (): Promise<CatalogueUnderTest> => {
    const { db } = mongo;
    const confirmations = createConfirmations();
    return {
      source: createMongoCatalogue(db, confirmations),
      histories: createMongoHistory(db, {
        timeoutMs: 5_000,
        log: createMemoryLog(),
        confirmations,
      }),
      write: (documents) => insertDocuments(db, documents),
      close: async () => {},
    };
  };
  describeCatalogueStore('MongoDB', openDatabase);
});
