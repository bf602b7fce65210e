import type { KeyCollections } from '../documents/key-reader.ts';
import type { TrackedCatalogue } from '../documents/tracked-document.ts';
import { completeCatalogue, decodeCatalogue, encodeCatalogue } from './catalogue-rows.ts';
import type { CopyCodec } from './kept-source.ts';
import { decodeKeys, encodeKeys } from './key-rows.ts';

/** Artists with their recent points, and labels. */
export const catalogueCodec: CopyCodec<TrackedCatalogue> = {
  unit: 'catalogue',
  encode: encodeCatalogue,
  decode: decodeCatalogue,
  complete: completeCatalogue,
};

/** Keys with their organizations. */
export const keysCodec: CopyCodec<KeyCollections> = { unit: 'keys', encode: encodeKeys, decode: decodeKeys };
