import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createConfirmations } from '../../adapters/stores/mongodb/empty-collections.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createManualClock } from '../support/clock.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';
import { type CatalogueUnderTest, describeCatalogueStore } from './catalogue.conformance.ts';
import { describeCatalogueFaults } from './catalogue-faults.conformance.ts';

const openFiles = async (): Promise<CatalogueUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-'));
  const files = createEmbeddedCatalogue({ folder, clock: createManualClock(), rebaseToToday: false });
  let writes = 0;
  return {
    source: files,
    histories: files,
    async write(documents) {
      writes += 1;
      for (const name of ['artists', 'history', 'labels'] as const) {
        const path = join(folder, `${name}.json`);
        await writeFile(path, JSON.stringify(documents[name]));
        await utimes(path, writes, writes); // two writes may share one tick of the file system's clock
      }
    },
    close: () => rm(folder, { recursive: true }),
  };
};

describeCatalogueStore('files', openFiles);
describeCatalogueFaults('files', openFiles);

describe('with a MongoDB server', () => {
  let server: MongoServer;
  before(async () => {
    server = await startMongoServer();
  });
  after(() => server.stop());

  const openDatabase = async (): Promise<CatalogueUnderTest> => {
    const { db, close } = openMongo(server.url(`gateway_${randomUUID().slice(0, 8)}`));
    const confirmations = createConfirmations(db);
    return {
      source: createMongoCatalogue(db, createManualClock(), confirmations),
      histories: createMongoHistory(db, { timeoutMs: 5_000, log: createMemoryLog(), confirmations }),
      write: (documents) => insertDocuments(db, documents),
      close,
    };
  };
  describeCatalogueStore('MongoDB', openDatabase);
  describeCatalogueFaults('MongoDB', openDatabase);
});

describe('embedded catalogue', () => {
  it('keeps the first of two series of the same artist, song and metric, and rejects the other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-'));
    const { artists, history } = readFixtures();
    const [first] = history;
    await writeFile(join(folder, 'artists.json'), JSON.stringify(artists));
    await writeFile(join(folder, 'history.json'), JSON.stringify([first, { ...first, points: [] }]));
    const files = createEmbeddedCatalogue({ folder, clock: createManualClock(), rebaseToToday: false });
    const contents = await files.load();
    expect(contents.faults.map(({ collection, reason }) => [collection, reason])).to.deep.equal([
      ['history', 'another document with the same identifier is kept'],
    ]);
    const owner = contents.artists.find(({ artist }) => artist.id === first?.['artist_id'])?.artist;
    expect(owner).not.to.equal(undefined);
    const series = owner === undefined ? [] : (await files.read(owner)).series;
    expect(series.map(({ points }) => points.length > 0)).to.deep.equal([true]);
    await rm(folder, { recursive: true });
  });
});
