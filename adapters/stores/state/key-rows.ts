import type { KeyRecord, Organization } from '../../../src/domain/caller.ts';
import type { KeyRecords } from '../../../src/ports.ts';
import { forEachYielding, type YieldingWork } from '../../../src/runtime/cooperative.ts';
import { type KeyCollections, keyRecordsOf } from '../documents/key-reader.ts';
import { type CollectionRow, collectionRows, createCollectionBuilder } from './collection-rows.ts';
import type { CopyCodec } from './kept-source.ts';

/** The rows of a copy of keys and organizations. Keys are stored by their hash, as in the database. */
function* encodeKeys({ keys, organizations }: KeyCollections): Iterable<string> {
  for (const row of collectionRows('organizations', organizations)) yield JSON.stringify(row);
  for (const row of collectionRows('keys', keys)) yield JSON.stringify(row);
}

/** Reads the rows of a copy of keys and organizations. */
function* decodeKeys(rows: Iterable<string>): YieldingWork<KeyCollections> {
  const keys = createCollectionBuilder<KeyRecord>();
  const organizations = createCollectionBuilder<Organization>();
  yield* forEachYielding(rows, (text) => {
    const row: CollectionRow<'keys' | 'organizations'> = JSON.parse(text); // the checksum and the format's version say that it is one
    (row[0] === 'keys' ? keys : organizations).add(row);
  });
  return { keys: keys.built, organizations: organizations.built };
}

/**
 * Keys with their organizations.
 * @param formNames the forms that keys may be pinned to
 */
export const createKeysCodec = (formNames: readonly string[]): CopyCodec<KeyRecords, KeyCollections> => ({
  unit: 'keys',
  encode: encodeKeys,
  decode: decodeKeys,
  contentsOf: async (state) => keyRecordsOf(state, formNames),
});
