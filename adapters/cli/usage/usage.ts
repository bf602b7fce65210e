import { Option } from 'commander';
import type { FormName } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { formNames } from '../../forms/forms.ts';
import type { DefineCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { type ShowOptions, withShowOptions } from '../listing-options.ts';
import { readCount, readSubjectName } from '../option-parsers.ts';
import { maxReplayDays } from '../quota/replay-groups.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { findNear, nearColumns } from './near.ts';
import { toUsageRows, type UsageRow } from './rows.ts';

interface UsageOptions extends ShowOptions {
  readonly days: number;
  readonly form?: FormName;
  readonly organization?: string;
  readonly csv?: boolean;
  readonly near?: number;
}

const formatUses = ({ uses }: UsageRow): string =>
  Object.entries(uses)
    .map(([use, times]) => `${use} ${times}`)
    .join(', ');

const columns: readonly Column<UsageRow>[] = [
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'key', show: ({ key_id }) => key_id },
  { title: 'partner', show: ({ partner }) => partner, isCuttable: true },
  { title: 'state', show: ({ state }) => state },
  { title: 'form', show: ({ form, key_form }) => form ?? key_form },
  { title: 'route', show: ({ form, route }) => route ?? (form && 'none') },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'refused', show: ({ refused }) => refused },
  { title: 'client errors', show: ({ client_errors }) => client_errors },
  { title: 'server errors', show: ({ server_errors }) => server_errors },
  { title: 'parameters', show: formatUses, isCuttable: true },
  { title: 'last call', show: ({ last_call_at }) => last_call_at ?? 'never' },
];

const listNear = (near: number, { days, organization, json, csv, wide }: UsageOptions): Promise<void> =>
  withContext(async (context) => {
    const replayed = Math.min(days, maxReplayDays);
    const rows = await findNear(context, { near, days: replayed, organization });
    const empty = `No window had requests for ${near} % of its limit in ${replayed} UTC days.`;
    printListing(rows, nearColumns, { json, csv, wide, now: context.usageNow(), empty });
  });

const list = ({ days, form, organization, json, csv, wide }: UsageOptions): Promise<void> =>
  withContext(async ({ usage, loadRegistry, usageNow }) => {
    const registry = await loadRegistry();
    const keys = registry.keysOf(organization);
    const now = usageNow();
    const counts = await usage.loadDays(addDays(dayOf(now), 1 - days), organization);
    const rows = toUsageRows(counts, { keys, organizations: registry.organizations, now }, form);
    printListing(rows, columns, { json, csv, wide, now });
  });

/** Lists the usage of partners: forms, routes and parameters. */
export const usageCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--days <count>', 'UTC days to list, including today', readCount, 30)
      .addOption(new Option('--form <form>', 'only requests answered in this form').choices(formNames))
      .option('--organization <id>', 'only this organization', readSubjectName)
      .addOption(
        new Option('--near <percent>', 'list who asked for this percentage of a quota in a window, in 8 days')
          .argParser(readCount)
          .conflicts('form'),
      )
      .addOption(new Option('--csv', 'print comma-separated values').conflicts('json')),
  ).action((options: UsageOptions) => (options.near === undefined ? list(options) : listNear(options.near, options)));
