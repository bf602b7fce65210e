import type { Label } from '../../../src/domain/model.ts';
import { parseLabel } from './catalogue-documents.ts';
import { type CollectionReader, createCollectionReader, membersOf } from './collection-reader.ts';
import { describeId } from './document-id.ts';

/** Creates the reader of labels. A label of a file needs no `_id`: its name identifies it too. */
export const createLabelReader = (): CollectionReader<Label> =>
  createCollectionReader({
    collection: 'labels',
    read: parseLabel,
    identify(document) {
      const { _id, name } = membersOf(document);
      return [name, _id].flatMap((identifier, index) =>
        identifier === undefined ? [] : [`${index} ${describeId(identifier)}`],
      );
    },
    keyOf: ({ name }) => name,
  });
