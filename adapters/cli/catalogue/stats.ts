import { tiers } from '../../../src/domain/model.ts';
import type { MissingMember } from '../../stores/import/missing-members.ts';
import { collectStatistics, type Gap, type Statistics } from '../../stores/import/statistics.ts';
import { withContext } from '../context.ts';
import type { DefineCommand } from '../program.ts';
import { type Column, printFacts, printJson, printListing } from '../terminal/table.ts';

/** From this percentage on, a member counts as often missing. */
const minOftenPercent = 10;

const missingColumns: readonly Column<MissingMember>[] = [
  { title: 'often missing', show: ({ member }) => member },
  { title: 'missing', show: ({ missing }) => missing },
  { title: 'of', show: ({ of }) => of },
  { title: '%', show: ({ percent }) => percent },
];

const gapColumns: readonly Column<Gap>[] = [
  { title: 'widest gaps', show: ({ artist_id }) => artist_id },
  { title: 'song', show: ({ song_id }) => song_id },
  { title: 'metric', show: ({ metric }) => metric },
  { title: 'from', show: ({ from }) => from },
  { title: 'to', show: ({ to }) => to },
  { title: 'days', show: ({ days }) => days },
];

const formatRange = ({ oldest, newest }: Statistics['added']): string | undefined =>
  oldest === undefined ? undefined : `${oldest} to ${newest}`;

const printSection = <Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): void => {
  process.stdout.write('\n');
  printListing(rows, columns);
};

const printStatistics = (found: Statistics): void => {
  printFacts([
    ['artists', found.artists],
    ['songs', found.songs],
    ['series', found.series],
    ['points', found.points],
    ['labels', found.labels],
    ['unusable', found.unusable === 0 ? undefined : found.unusable],
    ['unfinished', found.unfinished === 0 ? undefined : `${found.unfinished} (run the last import again)`],
    ['added', formatRange(found.added)],
    ['points from', formatRange(found.history)],
    ['changed', formatRange(found.changed)],
    ['series with gaps', `${found.gaps.series} (${found.gaps.days} days in all)`],
    ...[...tiers, 'unknown'].map((tier) => [`tier ${tier}`, found.tiers[tier] ?? 0] as const),
  ]);
  const often = found.missing.filter(({ percent }) => percent >= minOftenPercent);
  if (often.length > 0) printSection(often, missingColumns);
  if (found.gaps.widest.length > 0) printSection(found.gaps.widest, gapColumns);
};

const stats = ({ json = false }: { readonly json?: boolean }): Promise<void> =>
  withContext(async ({ db }) => {
    const found = await collectStatistics(db);
    if (json) printJson(found);
    else printStatistics(found);
  });

/** `catalogue stats`: counts over the whole stored catalogue. */
export const statsCommand: DefineCommand = (command) => command.option('--json', 'print a JSON object').action(stats);
