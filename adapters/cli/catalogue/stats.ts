import { tiers } from '../../../src/domain/model.ts';
import type { MissingMember } from '../../import/statistics/missing-members.ts';
import { collectStatistics, type Gap, type Statistics } from '../../import/statistics/statistics.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { type ShowOptions, withShowOptions } from '../shared-options.ts';
import { type Column, type DrawOptions, type Fact, printFacts, printJson, printListing } from '../terminal/table.ts';

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

const printSection = <Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: DrawOptions,
): void => {
  if (rows.length === 0) return;
  process.stdout.write('\n');
  printListing(rows, columns, options);
};

/** What a terminal shows in tables of their own, as facts: a pipe holds one table. */
const toFacts = (often: readonly MissingMember[], { widest }: Statistics['gaps']): Fact[] => [
  ...often.map(({ member, missing, of, percent }): Fact => [`missing ${member}`, `${missing} of ${of} (${percent} %)`]),
  ...widest.map(({ artist_id, song_id, metric, from, to, days }): Fact => {
    const series = [artist_id, song_id, metric].filter((part) => part !== undefined).join(' ');
    return [`gap in ${series}`, `${from} to ${to} (${days} days)`];
  }),
];

const printStatistics = (found: Statistics, options: DrawOptions): void => {
  const often = found.missing.filter(({ percent }) => percent >= minOftenPercent);
  const facts: Fact[] = [
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
  ];
  if (!process.stdout.isTTY) {
    printFacts([...facts, ...toFacts(often, found.gaps)]);
    return;
  }
  printFacts(facts, options);
  printSection(often, missingColumns, options);
  printSection(found.gaps.widest, gapColumns, options);
};

const stats = ({ json = false, wide }: ShowOptions): Promise<void> =>
  withContext(async ({ database: { documents } }) => {
    const found = await collectStatistics(documents);
    if (json) printJson(found);
    else printStatistics(found, { wide });
  });

/** `catalogue stats`: counts over the whole stored catalogue. */
export const statsCommand: DefineCommand = (command) =>
  withShowOptions(command, 'a JSON object')
    .description(
      'show statistics of the stored catalogue: counts, dates, tiers, members often missing, series with gaps',
    )
    .addHelpText(...example('artist-gateway catalogue stats'))
    .action(stats);
