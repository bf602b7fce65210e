import { Command } from 'commander';
import { tiers } from '../../../src/domain/model.ts';
import { type Parsed, parseArtist, parseLabel, parseSeries } from '../../stores/documents/catalogue-documents.ts';
import type { Gap } from '../../stores/import/gaps.ts';
import type { MissingMember } from '../../stores/import/missing-members.ts';
import { createStatistics, type Statistics } from '../../stores/import/statistics.ts';
import { unfinished } from '../../stores/mongodb/import.ts';
import { walkDocuments } from '../../stores/mongodb/walk.ts';
import { type Database, withDatabase } from '../open-database.ts';
import { type Column, printFacts, printJson, printListing } from '../terminal/table.ts';

/** A member is often missing when this many in a hundred lack it. */
const oftenPercent = 10;

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

const collect = async (db: Database): Promise<Statistics> => {
  const statistics = createStatistics();
  const look = async <Model>(
    collection: string,
    parse: (document: unknown) => Parsed<Model>,
    add: (model: Model) => void,
  ): Promise<void> => {
    await walkDocuments(db, collection, (document) => {
      if (unfinished in document) statistics.addUnfinished();
      const parsed = parse(document);
      if ('model' in parsed) add(parsed.model);
      else statistics.addUnusable();
    });
  };
  await look('artists', parseArtist, statistics.addArtist);
  await look('history', parseSeries, statistics.addSeries);
  await look('labels', parseLabel, statistics.addLabel);
  return statistics.result();
};

const rangeText = ({ oldest, newest }: Statistics['added']): string | undefined =>
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
    ['added', rangeText(found.added)],
    ['points from', rangeText(found.history)],
    ['changed', rangeText(found.changed)],
    ['series with gaps', `${found.gaps.series} (${found.gaps.days} days in all)`],
    ...[...tiers, 'unknown'].map((tier) => [`tier ${tier}`, found.tiers[tier] ?? 0] as const),
  ]);
  const often = found.missing.filter(({ percent }) => percent >= oftenPercent);
  if (often.length > 0) printSection(often, missingColumns);
  if (found.gaps.widest.length > 0) printSection(found.gaps.widest, gapColumns);
};

const stats = ({ json = false }: { readonly json?: boolean }): Promise<void> =>
  withDatabase(async (db) => {
    const found = await collect(db);
    if (json) printJson(found);
    else printStatistics(found);
  });

/** Looks over the whole catalogue. */
export const statsCommand = (): Command =>
  new Command('stats')
    .description('tell what is stored: counts, oldest and newest, tiers, members often missing, series with gaps')
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  artist-gateway catalogue stats')
    .action(stats);
