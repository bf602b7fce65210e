import { formNames } from '../../../adapters/forms/forms.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { isCall } from '../../../src/domain/usage.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readSubjectName, readUsageDays } from '../option-parsers.ts';
import { withShowOptions } from '../shared-options.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { toUsageRows, type UsageRow } from './rows.ts';

const formatUses = ({ uses }: UsageRow): string =>
  Object.entries(uses)
    .filter(([use]) => !isCall(use))
    .map(([use, times]) => `${use} ${times}`)
    .join(', ');

const createColumns = (whenSilent: string): readonly Column<UsageRow>[] => [
  { title: 'key', show: ({ key_id }) => key_id },
  { title: 'organization', show: ({ organization_id }) => organization_id, isWide: true },
  { title: 'partner', show: ({ partner }) => partner },
  { title: 'state', show: ({ state }) => state, isWide: true },
  { title: 'form', show: ({ form, key_form }) => form ?? key_form },
  { title: 'route', show: ({ form, route }) => route ?? (form && 'none') },
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'refused', show: ({ refused }) => refused },
  { title: 'client errors', show: ({ client_errors }) => client_errors, isWide: true },
  { title: 'server errors', show: ({ server_errors }) => server_errors, isWide: true },
  { title: 'parameters', show: formatUses, isWide: true },
  { title: 'last call', show: ({ last_call_at }) => last_call_at ?? whenSilent },
];

export const usageCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--days <count>', 'UTC days to list, including today', readUsageDays, 30)
      .addOption(
        command
          .createOption('--form <form>', 'only requests answered in this form')
          .choices(formNames),
      )
      .option('--organization <id>', 'only this organization', readSubjectName)
      .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json')),
  )
    .description(
      'list requests per key: form, route, parameters, refusals; latest call first (in MONGODB_URL)',
    )
    .addHelpText(...example('artist-gateway usage --days 90 --form variant'))
    .action(({ days, form, organization, ...options }) =>
      withContext(async (context) => {
        const now = context.usageNow();
        const registry = await context.loadRegistry();
        const keys = registry.keysOf(organization);
        const counts = await context.usage.loadDays(addDays(dayOf(now), 1 - days), organization);
        const rows = toUsageRows(counts, { keys, registry, now }, form);
        const inForm = form === undefined ? '' : ` (${form} form)`;
        printListing(rows, createColumns(`not in ${days} d${inForm}`), { ...options, now });
      }),
    );
