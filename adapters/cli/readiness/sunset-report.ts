import type { KeyRecord } from '../../../src/domain/caller.ts';
import { countOf } from '../../../src/domain/count-of.ts';
import { addDays, type Day, dayOf, daysBetween } from '../../../src/domain/day.ts';
import { type FormFacts, factsOfForm } from '../../../src/domain/form-facts.ts';
import { formatDaysLeft, formatInstant } from '../../../src/domain/instants.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { isCalling } from '../../../src/migration/daily-calls.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readCount } from '../option-parsers.ts';
import { activeKeys } from '../resolve-subject.ts';
import { withListOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';

/** The input of the report: all keys, and their usage. */
interface SunsetQuestion {
  readonly keys: readonly KeyRecord[];
  readonly forms: readonly FormFacts[];
  readonly counts: readonly UsageCount[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Maximum number of days until the sunset. */
  readonly within: number;
}

/** A key with a sunset, and whether it still calls in the form that ends. */
const toRow = (key: KeyRecord, sunset: Day, { counts, now }: SunsetQuestion) => {
  const today = dayOf(now);
  const own = counts.filter(({ keyId, form }) => keyId === key.id && form === key.form);
  const lastAt = own.length === 0 ? undefined : Math.max(...own.map((count) => count.lastAt));
  return {
    key: key.id,
    organization_id: key.organizationId,
    partner: key.partner,
    sunset,
    /** Negative when that day has passed. */
    days_left: daysBetween(today, sunset),
    /** Those in its form on the days of the report. */
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    last_at: formatInstant(lastAt),
    calling: isCalling(lastAt, now),
  };
};

type SunsetRow = ReturnType<typeof toRow>;

const byUrgency = (left: SunsetRow, right: SunsetRow): number =>
  Number(right.calling) - Number(left.calling) ||
  left.days_left - right.days_left ||
  right.requests - left.requests ||
  (left.key < right.key ? -1 : 1);

/** Active keys whose sunset has passed or is near: first those that still call, then by days left. */
export const sunsetRows = (question: SunsetQuestion): SunsetRow[] =>
  activeKeys(question.keys, question.now)
    .filter(({ form }) => factsOfForm(question.forms, form).announcesSunset)
    .flatMap((key) => (key.sunset === undefined ? [] : [toRow(key, key.sunset, question)]))
    .filter(({ days_left }) => days_left <= question.within)
    .sort(byUrgency);

const formatActivity = ({ calling, last_at }: SunsetRow, days: number): string => {
  if (calling) return 'still calling';
  return last_at === undefined ? `not seen in ${countOf(days, 'day')}` : `quiet since ${last_at.slice(0, 10)}`;
};

const columnsFor = (days: number): readonly Column<SunsetRow>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'organization', show: ({ organization_id }) => organization_id, importance: 4 },
  { title: 'partner', show: ({ partner }) => partner, isCuttable: true, importance: 5 },
  { title: 'sunset', show: ({ sunset }) => sunset, importance: 2 },
  { title: 'when', show: ({ days_left }) => formatDaysLeft(days_left) },
  { title: `requests in ${countOf(days, 'day')}`, show: ({ requests }) => requests, importance: 3 },
  { title: 'last', show: ({ last_at }) => last_at ?? '–', importance: 1 },
  { title: 'now', show: (row) => formatActivity(row, days) },
];

export const reportCommand: DefineCommand = (command) =>
  withListOptions(
    command
      .option('--within <days>', 'list keys with a sunset within this many days', readCount, 30)
      .option('--days <count>', 'UTC days of usage to report, including today', readCount, 30)
      .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json')),
  )
    .description('list keys whose sunset has passed or is near, and whether they still call in the variant form')
    .addHelpText(...example('artist-gateway sunset report --within 60 --csv'))
    .action(({ within, days, ...options }) =>
      withContext(async ({ usage, forms, loadRegistry, usageNow }) => {
        const { keys } = await loadRegistry();
        const now = usageNow();
        const counts = await usage.loadDays(addDays(dayOf(now), 1 - days));
        printListing(sunsetRows({ keys, forms, counts, now, within }), columnsFor(days), { ...options, now });
        for (const { name } of forms.filter(({ announcesSunset }) => !announcesSunset)) {
          const moved = keys.filter(({ form, sunset }) => form === name && sunset !== undefined).length;
          if (moved > 0) note(`Keys with a sunset that have moved to the ${name} form: ${moved}.`);
        }
      }),
    );
