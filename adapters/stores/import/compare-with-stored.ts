import type { Artist, Series } from '../../../src/domain/model.ts';
import type { Database } from '../../cli/open-database.ts';
import type { StartProgress } from '../../cli/terminal/progress.ts';
import { readStoredArtists, readStoredSeries, type StoredDocument } from '../mongodb/import.ts';
import type { Checked, CheckedInput } from './check.ts';
import { findConflicts } from './conflicts.ts';
import type { ImportError } from './input-files.ts';
import { type Plan, planArtists } from './plan-artists.ts';
import type { Removals } from './removals.ts';

/** Artists that are compared, and written, together: what an abort can interrupt. */
const together = 50;

/** Plans in the order they are to be carried out, or why they must not be. */
export interface Compared {
  readonly plans: readonly (Plan & { readonly artists: number })[];
  readonly refused: readonly ImportError[];
}

const byId = <Model>(
  checked: readonly Checked<Model>[],
  idOf: (model: Model) => string,
): Map<string, Checked<Model>[]> => {
  const map = new Map<string, Checked<Model>[]>();
  for (const one of checked) {
    const id = idOf(one.model);
    const list = map.get(id);
    if (list === undefined) map.set(id, [one]);
    else list.push(one);
  }
  return map;
};

const valuesOf = (checked: readonly Checked<Artist | Series>[]): StoredDocument[] => checked.map(({ value }) => value);

/** Compares the input with what is stored, in bulk, and plans to write only what differs. Writes nothing. */
export const compareWithStored = async (
  db: Database,
  { artists, series }: Pick<CheckedInput, 'artists' | 'series'>,
  removals: Removals,
  { now, startProgress }: { readonly now: number; readonly startProgress: StartProgress },
): Promise<Compared> => {
  const artistsById = byId(artists, ({ id }) => id);
  const seriesById = byId(series, ({ artistId }) => artistId);
  const all = [...new Set([...artistsById.keys(), ...seriesById.keys(), ...removals.series.keys()])];
  const plans: (Plan & { artists: number })[] = [];
  const refused: ImportError[] = [];
  const progress = startProgress('Comparing', all.length, 'artists');
  try {
    for (let start = 0; start < all.length; start += together) {
      const artistIds = all.slice(start, start + together);
      const ofArtists = artistIds.flatMap((id) => artistsById.get(id) ?? []);
      const ofSeries = artistIds.flatMap((id) => seriesById.get(id) ?? []);
      const stored = {
        artists: await readStoredArtists(
          db,
          artistIds,
          ofArtists.map(({ model }) => model.documentId),
        ),
        series: await readStoredSeries(db, artistIds),
      };
      refused.push(...findConflicts(ofArtists, stored.artists));
      const input = { artists: valuesOf(ofArtists), series: valuesOf(ofSeries) };
      const plan = planArtists({ artistIds, input, stored, removedSeries: removals.series, now });
      plans.push({ ...plan, artists: artistIds.length });
      progress.advance(artistIds.length);
    }
  } finally {
    progress.end();
  }
  return { plans, refused };
};
