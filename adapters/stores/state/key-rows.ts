import type { KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { forEachYielding, type YieldingWork } from '../../../src/runtime/cooperative.ts';
import type { KeyCollections } from '../documents/key-reader.ts';
import { type CollectionRow, collectionRows, createCollectionBuilder } from './collection-rows.ts';

/** The rows of a copy of keys and organizations. Keys are stored by their hash, as in the database. */
export function* encodeKeys({ keys, organizations }: KeyCollections): Iterable<string> {
  for (const row of collectionRows('organizations', organizations)) yield JSON.stringify(row);
  for (const row of collectionRows('keys', keys)) yield JSON.stringify(row);
}

/** Reads the rows of a copy of keys and organizations. */
export function* decodeKeys(rows: Iterable<string>): YieldingWork<KeyCollections> {
  const keys = createCollectionBuilder<KeyRecord>();
  const organizations = createCollectionBuilder<Organization>();
  yield* forEachYielding(rows, (text) => {
    const row: CollectionRow<'keys' | 'organizations'> = JSON.parse(text); // the checksum and the format's version say that it is one
    (row[0] === 'keys' ? keys : organizations).add(row);
  });
  return { keys: keys.built, organizations: organizations.built };
}
