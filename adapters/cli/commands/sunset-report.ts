import { Command, Option } from 'commander';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { loadUsage } from '../../stores/mongodb/usage.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readCount } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { type SunsetRow, sunsetRows } from './sunset-rows.ts';

interface ReportOptions {
  readonly within: number;
  readonly days: number;
  readonly csv?: true;
  readonly json?: true;
}

const timeText = ({ days_left }: SunsetRow): string => {
  if (days_left > 0) return `in ${days_left} days`;
  return days_left === 0 ? 'today' : `${-days_left} days ago`;
};

const columnsFor = (days: number): readonly Column<SunsetRow>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner },
  { title: 'sunset', show: ({ sunset }) => sunset },
  { title: 'when', show: timeText },
  { title: `requests in ${days} days`, show: ({ requests }) => requests },
  { title: 'last', show: ({ last_at }) => last_at ?? '–' },
  {
    title: 'now',
    show: ({ calling, last_at }) =>
      calling
        ? 'still calling'
        : last_at === undefined
          ? `not seen in ${days} days`
          : `quiet since ${last_at.slice(0, 10)}`,
  },
];

/** Calls were counted by the machine's clock, whatever `FIXED_NOW` says, so it also tells which days are near. */
const report = ({ within, days, csv, json }: ReportOptions): Promise<void> =>
  withDatabase(async (db) => {
    const { keys } = await loadKeyRegistry(db);
    const now = systemClock().now();
    const counts = await loadUsage(db, addDays(dayOf(now), 1 - days));
    const rows = sunsetRows({ keys, counts, now, within });
    printListing(rows, columnsFor(days), { json, csv });
    const moved = keys.filter(({ form, sunset }) => form === 'current' && sunset !== undefined).length;
    if (moved > 0) note(`Moved to the current form with a sunset that is kept: ${moved}.`);
  });

/** Lists who still asks in the variant form though its end was announced to it. */
export const reportCommand = (): Command =>
  new Command('report')
    .description('list keys whose sunset has passed or is near, and whether they still call in the variant form')
    .option('--within <days>', 'how many days ahead is near', readCount, 30)
    .option('--days <count>', 'look for calls in so many UTC days, today among them', readCount, 30)
    .addOption(new Option('--csv', 'print comma-separated values').conflicts('json'))
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway sunset report --within 60 --csv')
    .action(report);
