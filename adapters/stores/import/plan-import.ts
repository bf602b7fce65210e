import type { Database } from '../../cli/open-database.ts';
import type { StartProgress } from '../../cli/terminal/progress.ts';
import { readMembers } from '../mongodb/import.ts';
import { checkInput, findDangling, songsByArtist } from './check.ts';
import { type Compared, compareWithStored } from './compare-with-stored.ts';
import type { ImportError, Input } from './input-files.ts';
import { type LabelPlan, planLabels } from './plan-labels.ts';
import { findRemovals, noRemovals, type Removals } from './removals.ts';
import { knownSongs } from './song-ids.ts';

/** Everything an import is going to do. */
export interface PreparedImport {
  readonly plans: Compared['plans'];
  readonly labels: LabelPlan;
  readonly removals: Removals;
}

/** Either that, or why nothing may be written. */
export type Preparation = PreparedImport | { readonly refused: readonly ImportError[] };

export interface ImportSettings {
  /** Whether to remove what the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly startProgress: StartProgress;
}

const readNames = async (db: Database) => ({
  artists: await readMembers(db, 'artists', ['id']),
  series: await readMembers(db, 'history', ['artist_id', 'song_id', 'metric']),
  labels: await readMembers(db, 'labels', ['name']),
});

/** Checks the input, compares it with what is stored, and finds what it no longer has. Writes nothing. */
export const prepareImport = async (db: Database, input: Input, options: ImportSettings): Promise<Preparation> => {
  const { prune } = options;
  const checked = checkInput(input);
  // What is about to be removed is no longer there to refer to.
  const replacesArtists = prune && input.collections.has('artists');
  const songs = replacesArtists ? songsByArtist(checked.artists) : await knownSongs(db, checked);
  const refused = [...checked.refused, ...findDangling(checked, songs)];
  if (refused.length > 0) return { refused };
  if (replacesArtists && checked.artists.length === 0) {
    throw new Error('The input has no artist, and --prune would remove all that are stored: nothing was written.');
  }
  const removals = prune ? findRemovals(await readNames(db), checked, input.collections) : noRemovals;
  const compared = await compareWithStored(db, checked, removals, options);
  if (compared.refused.length > 0) return { refused: compared.refused };
  const labels = planLabels(
    checked.labels.map(({ value }) => value),
    checked.labels.length === 0 ? [] : await readMembers(db, 'labels', []),
  );
  return { plans: compared.plans, labels, removals };
};
