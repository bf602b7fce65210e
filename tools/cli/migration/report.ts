import { forms } from '../../../adapters/forms/forms.ts';
import { assessMove, type MoveQuery, reportedPeriod } from '../../migration/assess.ts';
import { requestedMove } from '../../migration/evidence.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readUsageDays } from '../option-parsers.ts';
import { activeKeys, allowances } from '../policy.ts';
import { resolveSubject } from '../resolve-subject.ts';
import { subjectArgument, withShowOptions } from '../shared-options.ts';
import { printJson } from '../terminal/table.ts';
import { printReport } from './print-report.ts';

/** Loads the usage that an assessment needs: of one organization, or of all. */
export const loadEvidence = async (
  { usage, identifiers }: Context,
  query: Pick<MoveQuery, 'days' | 'now'>,
  organizationId?: string,
) => {
  const { countsSince, replayedSince } = reportedPeriod(query);
  const [counts, minutes, artists] = await Promise.all([
    usage.loadDays(countsSince, organizationId),
    usage.loadMinutes(organizationId, replayedSince),
    identifiers.count(),
  ]);
  return { counts, minutes, artists, forms, allowances };
};

export const loadMove = async (context: Context, query: MoveQuery) =>
  assessMove({
    ...query,
    ...(await loadEvidence(context, query, query.organization.id)),
  });

export const reportCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .argument(...subjectArgument)
      .option('--days <count>', 'UTC days of usage to assess, including today', readUsageDays, 30),
    'a JSON object',
  )
    .description('report what a partner must change to move to the current form, from its usage')
    .addHelpText(...example('artist-gateway migration report 3fK9sQ2xA --days 14'))
    .action((name, { days, json, wide }) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const subject = resolveSubject(registry, name);
        const { organization } = subject;
        const now = context.usageNow();
        const keys =
          subject.kind === 'key'
            ? [subject.key]
            : activeKeys(registry.keysOf(organization.id), now).filter(
                ({ form }) => form === requestedMove.from,
              );
        const move = await loadMove(context, { organization, keys, days, now });
        if (json) printJson(move);
        else printReport(move, { wide, now });
      }),
    );
