import type { Label } from '../../../src/domain/model.ts';
import { parseLabel } from './catalogue-documents.ts';
import { type CollectionReader, createCollectionReader, membersOf, type ReadCollection } from './collection-reader.ts';
import { describeId } from './document-id.ts';

/**
 * Creates the reader of labels. A label of a file needs no `_id`: its name identifies it too.
 *
 * @param former the result of the last load of an earlier process
 */
export const createLabelReader = (former?: ReadCollection<Label>): CollectionReader<Label> =>
  createCollectionReader(
    {
      collection: 'labels',
      read: parseLabel,
      identify(document) {
        const { _id, name } = membersOf(document);
        return [name, _id].flatMap((identifier, index) =>
          identifier === undefined ? [] : [`${index} ${describeId(identifier)}`],
        );
      },
      keyOf: ({ name }) => name,
    },
    former,
  );
