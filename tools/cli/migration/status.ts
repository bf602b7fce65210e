import { countOf } from '../../../src/domain/quantities.ts';
import { requestedMove } from '../../migration/evidence.ts';
import {
  assessStatus,
  countSteps,
  type StatusReport,
  type StatusRow,
} from '../../migration/status.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readUsageDays } from '../option-parsers.ts';
import { formatTrial } from '../policy.ts';
import { withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, none, printJson, printListing } from '../terminal/table.ts';
import { loadEvidence } from './report.ts';

const createColumns = ({ days }: StatusReport): readonly Column<StatusRow>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner, isWide: true },
  { title: 'state', show: ({ state }) => state, isWide: true },
  { title: 'next', show: ({ next }) => next },
  { title: 'verdict', show: ({ verdict }) => verdict, isWide: true },
  { title: 'calls a day', show: ({ calls_a_day }) => calls_a_day },
  { title: 'to change', show: ({ changes }) => changes },
  { title: 'over quota', show: ({ would_refuse }) => would_refuse, isWide: true },
  { title: 'last call', show: ({ last_at }) => last_at ?? `not in ${days} d` },
  { title: 'sunset', show: ({ sunset }) => sunset ?? none, isWide: true },
  { title: 'trial', show: formatTrial, isWide: true },
];

const summaryOf = ({ keys, form, days, share_percent: share }: StatusReport): string => {
  const steps = countSteps(keys).map(([step, count]) => `${count} ${step}`);
  const moved =
    share === undefined ? '' : ` In the ${form} form: ${share} % of calls in ${days} days.`;
  const [end, ...others] = keys.flatMap(({ trial }) => trial?.until ?? []).sort();
  const tried =
    end === undefined
      ? ''
      : others.length === 0
        ? ` 1 in a trial until ${end}.`
        : ` ${others.length + 1} in trials, the first until ${end}.`;
  return `${countOf(keys.length, 'key')}: ${steps.join(', ')}.${moved}${tried}`;
};

export const statusCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--days <count>', 'UTC days of usage to assess, including today', readUsageDays, 30)
      .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json')),
    'a JSON object',
  )
    .description('list all keys of the variant form by what to do next to move them')
    .addHelpText(...example('artist-gateway migration status'))
    .action(({ days, json, csv, wide }) =>
      withContext(async (context) => {
        const period = { days, now: context.usageNow() };
        const [{ keys, organizations }, evidence] = await Promise.all([
          context.loadRegistry(),
          loadEvidence(context, period),
        ]);
        const report = assessStatus({ keys, organizations, ...period, ...evidence });
        if (json) return printJson(report);
        const empty = `No key is pinned to the ${requestedMove.from} form.`;
        printListing(report.keys, createColumns(report), { csv, wide, now: period.now, empty });
        if (report.keys.length > 0) note(summaryOf(report));
      }),
    );
