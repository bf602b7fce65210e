import { Command, Option } from 'commander';
import { type FormName, formNames } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { loadUsage } from '../../stores/mongodb/usage.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readCount } from '../option-parsers.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { toUsageRows, type UsageRow } from './usage-rows.ts';

interface UsageOptions {
  readonly days: number;
  readonly form?: FormName;
  readonly organization?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

const usesText = ({ uses }: UsageRow): string =>
  Object.entries(uses)
    .map(([use, times]) => `${use} ${times}`)
    .join(', ');

const columns: readonly Column<UsageRow>[] = [
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'key', show: ({ key_id }) => key_id },
  { title: 'partner', show: ({ partner }) => partner },
  { title: 'state', show: ({ state }) => state },
  { title: 'form', show: ({ form, key_form }) => form ?? key_form },
  { title: 'route', show: ({ form, route }) => route ?? (form && 'none') },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'refused', show: ({ refused }) => refused },
  { title: 'client errors', show: ({ client_errors }) => client_errors },
  { title: 'server errors', show: ({ server_errors }) => server_errors },
  { title: 'parameters', show: usesText },
  { title: 'last call', show: ({ last_call_at }) => last_call_at ?? 'never' },
];

/** Counts follow the machine's clock, whatever `FIXED_NOW` says, and so does the window that is looked at. */
const show = ({ days, form, organization, json, csv }: UsageOptions): Promise<void> =>
  withDatabase(async (db) => {
    const issued = await loadKeyRegistry(db);
    if (organization !== undefined) issued.organization(organization);
    const now = systemClock().now();
    const counts = await loadUsage(db, addDays(dayOf(now), 1 - days), organization);
    const keys = issued.keys.filter((key) => organization === undefined || key.organizationId === organization);
    const rows = toUsageRows(counts, { keys, organizations: issued.organizations, now }, form);
    printListing(rows, columns, { json, csv });
  });

/** Lists what partners use: who still meets which form, on which routes, with which parameters. */
export const usageCommand = (): Command =>
  new Command('usage')
    .description('list what keys asked for: form, route, parameters, refusals; the last call first (in MONGODB_URL)')
    .option('--days <count>', 'of so many UTC days, today among them', readCount, 30)
    .addOption(new Option('--form <form>', 'answered in this form only').choices(formNames))
    .option('--organization <id>', 'of this organization only')
    .option('--json', 'print a JSON array')
    .addOption(new Option('--csv', 'print comma-separated values').conflicts('json'))
    .addHelpText('after', '\nExample:\n  artist-gateway usage --days 90 --form variant')
    .action(show);
