import type { CatalogueContents, KeyRecords } from '../../../src/ports.ts';
import { type KeyCollections, keyRecordsOf } from '../documents/key-reader.ts';
import { contentsOfCatalogue, type TrackedCatalogue } from '../documents/tracked-document.ts';
import { completeCatalogue, decodeCatalogue, encodeCatalogue } from './catalogue-rows.ts';
import type { CopyCodec } from './kept-source.ts';
import { decodeKeys, encodeKeys } from './key-rows.ts';

/** Artists with their recent points, and labels. */
export const catalogueCodec: CopyCodec<CatalogueContents, TrackedCatalogue> = {
  unit: 'catalogue',
  encode: encodeCatalogue,
  decode: decodeCatalogue,
  contentsOf: contentsOfCatalogue,
  complete: completeCatalogue,
};

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
