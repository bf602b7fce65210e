import type { Artist } from '../../../src/domain/model.ts';
import { buildArtist } from '../builders.ts';

/** More artists than any limit, all of one day, so that they are listed by their identifiers. */
export const buildManyArtists = (more: (index: number) => Partial<Artist> = () => ({})): readonly Artist[] =>
  Array.from({ length: 230 }, (_, index) =>
    buildArtist({
      id: `art_${String(index).padStart(3, '0')}`,
      documentId: `doc_${index}`,
      name: `Artist ${index}`,
      dateAdded: '2026-08-01',
      tier: 'watch',
      ...more(index),
    }),
  );
