import { requestedMove } from '../../../src/migration/evidence.ts';
import {
  assessReadiness,
  type MigrationReadiness,
  type ReadinessQuestion,
  readinessPeriod,
} from '../../../src/migration/readiness.ts';
import { type Context, withContext } from '../context.ts';
import { type ShowOptions, withShowOptions } from '../listing-options.ts';
import { readCount, readSubjectName } from '../option-parsers.ts';
import type { DefineCommand } from '../program.ts';
import { activeKeys, resolveSubject } from '../resolve-subject.ts';
import { printJson } from '../terminal/table.ts';
import { printReadiness } from './readiness-print.ts';

interface ReadinessOptions extends ShowOptions {
  readonly days: number;
}

/** Loads an organization's usage and assesses a move of these keys. */
export const loadReadiness = async (
  { usage, identifiers, forms, allowances }: Pick<Context, 'usage' | 'identifiers' | 'forms' | 'allowances'>,
  question: ReadinessQuestion,
): Promise<MigrationReadiness> => {
  const { since, replayedSince } = readinessPeriod(question);
  const [counts, minutes, artists] = await Promise.all([
    usage.loadDays(since, question.organization.id),
    usage.loadMinutes(question.organization.id, replayedSince),
    identifiers.count(),
  ]);
  return assessReadiness({ ...question, counts, minutes, artists, forms, allowances });
};

const report = (name: string, { days, json, wide }: ReadinessOptions): Promise<void> =>
  withContext(async (context) => {
    const registry = await context.loadRegistry();
    const subject = resolveSubject(registry, name);
    const { organization } = subject;
    const now = context.usageNow();
    const keys =
      subject.kind === 'key'
        ? [subject.key]
        : activeKeys(registry.keysOf(organization.id), now).filter(({ form }) => form === requestedMove.from);
    const readiness = await loadReadiness(context, { organization, keys, move: requestedMove, days, now });
    if (json) printJson(readiness);
    else printReadiness(readiness, { wide, now });
  });

/** Reports the changes that a partner has to make before it can move to the current form. */
export const readinessCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName)
      .option('--days <count>', 'UTC days of usage to assess, including today', readCount, 30),
    'a JSON object',
  ).action(report);
