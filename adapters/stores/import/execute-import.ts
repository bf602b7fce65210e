import type { Database } from '../../cli/open-database.ts';
import type { StartProgress } from '../../cli/terminal/progress.ts';
import { removeDocuments, writeArtistChanges, writeLabels } from '../mongodb/import.ts';
import type { PreparedImport } from './plan-import.ts';

/**
 * Writes what was prepared. It may be cut short anywhere: each group of artists is whole before or after its turn, and what
 * is removed goes last, the artists before the series that are left without one.
 */
export const carryOutImport = async (
  db: Database,
  { plans, labels, removals }: PreparedImport,
  startProgress: StartProgress,
): Promise<void> => {
  const due = plans.filter(({ changes }) => Object.values(changes).some((list) => list.length > 0));
  const total = due.reduce((sum, { artists }) => sum + artists, 0);
  const progress = startProgress('Writing', total, 'artists');
  try {
    await writeLabels(db, labels.added, labels.replaced);
    for (const { changes, artists } of due) {
      await writeArtistChanges(db, changes);
      progress.advance(artists);
    }
  } finally {
    progress.end();
  }
  await removeDocuments(db, 'artists', removals.artists);
  await removeDocuments(db, 'history', removals.orphanedSeries);
  await removeDocuments(db, 'labels', removals.labels);
};
