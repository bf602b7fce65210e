import type { KeyRecord } from '../../../src/domain/caller.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { requestedMove } from '../../migration/evidence.ts';
import {
  assessReadiness,
  type MigrationReadiness,
  type ReadinessFacts,
  type ReadinessQuestion,
} from '../../migration/readiness.ts';
import { reportTrials, type TrialReport } from '../../migration/trials.ts';
import { writtenChanges } from '../../operator/audit-log.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { answerMembers } from '../letter/contract-members.ts';
import { createLetterWriter } from '../letter/create-letter-writer.ts';
import { letterHtml } from '../letter/letter.ts';
import { readNamesFile, readUsageDays } from '../option-parsers.ts';
import { activeKeys } from '../policy.ts';
import { resolveSubject } from '../resolve-subject.ts';
import { aboutSubject, withListOptions } from '../shared-options.ts';
import { UsageError } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { loadEvidence, type ReadinessOptions, reportFleet } from './fleet.ts';
import { printReadiness } from './print.ts';

/**
 * Loads an organization's usage and assesses a move of these keys. Resolves to the counts too,
 * which a report on trials needs.
 */
export const loadReadiness = async (
  context: Context,
  question: ReadinessQuestion & Pick<ReadinessFacts, 'reads'>,
) => {
  const evidence = await loadEvidence(context, question, question.organization.id);
  return { readiness: assessReadiness({ ...question, ...evidence }), counts: evidence.counts };
};

/** Why there is no letter about a key at an instant (epoch milliseconds); `undefined`: there is. */
const letterError = (key: KeyRecord, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  const has =
    key.form === requestedMove.to ? `Key ${key.id} has the ${key.form} form already` : undefined;
  const reason = inactive ?? has;
  const successor = key.replacedBy === undefined ? '' : ` Key ${key.replacedBy} replaces it.`;
  return reason && `${reason}: there is no letter to write.${successor}`;
};

/** Changes of one key that are looked at for trials: the newest. */
const maxChanges = 1_000;

const loadTrials = async (
  { audit }: Context,
  { id }: KeyRecord,
  counts: readonly UsageCount[],
  { since }: MigrationReadiness,
): Promise<readonly TrialReport[]> =>
  reportTrials(
    writtenChanges(await audit.read({ keyId: id, limit: maxChanges })),
    counts.filter(({ keyId }) => keyId === id),
    since,
  );

const reportSubject = async (
  context: Context,
  name: string,
  { days, json, wide, letter = false, html = false, reads }: ReadinessOptions,
): Promise<void> => {
  const registry = await context.loadRegistry();
  const subject = resolveSubject(registry, name);
  const { organization } = subject;
  if ((letter || html) && subject.kind !== 'key')
    throw new UsageError('A letter is for one key: name the key.');
  const now = context.usageNow();
  const refusal =
    (letter || html) && subject.kind === 'key' ? letterError(subject.key, now) : undefined;
  if (refusal !== undefined) throw new Error(refusal);
  if (reads !== undefined && subject.kind !== 'key')
    throw new UsageError('--reads is for one key: name the key.');
  const keys =
    subject.kind === 'key'
      ? [subject.key]
      : activeKeys(registry.keysOf(organization.id), now).filter(
          ({ form }) => form === requestedMove.from,
        );
  const { readiness, counts } = await loadReadiness(context, {
    organization,
    keys,
    move: requestedMove,
    days,
    now,
    reads: reads === undefined ? undefined : await readNamesFile(reads, answerMembers()),
  });
  const [report] = readiness.keys;
  if (subject.kind === 'key' && report !== undefined && (letter || html)) {
    const text = await (await createLetterWriter(context))(subject.key, report, readiness);
    process.stdout.write(html ? letterHtml(text, `For ${subject.key.partner}`) : text);
    return;
  }
  const trials =
    subject.kind === 'key' ? await loadTrials(context, subject.key, counts, readiness) : [];
  if (json) printJson({ ...readiness, trials });
  else printReadiness({ ...readiness, trials }, { wide, now });
};

/** Refuses options that are for one key or organization alone, or for the whole fleet alone. */
const checkOptions = (
  name: string | undefined,
  { letter, csv, html, letters, columns, reads }: ReadinessOptions,
): void => {
  if (name === undefined && reads !== undefined)
    throw new UsageError('--reads is for one key: name the key.');
  if (name === undefined && letter) throw new UsageError('A letter is for one key: name the key.');
  if (name !== undefined && (csv || columns !== undefined || letters !== undefined))
    throw new UsageError('--csv, --columns and --letters are for the list of all keys: name none.');
  if (letters !== undefined && !html)
    throw new UsageError('--letters belongs to --html: its page links the letters.');
};

export const readinessCommand: DefineCommand = (command) =>
  withListOptions(
    command
      .argument('[organization|key]', ...aboutSubject)
      .option('--days <count>', 'UTC days of usage to assess, including today', readUsageDays, 30)
      .addOption(
        command
          .createOption('--letter', 'print a letter to the partner of a key, in Markdown')
          .conflicts('json'),
      )
      .addOption(
        command
          .createOption('--html', 'print the letter, or the page of all keys, as HTML')
          .conflicts(['json', 'csv']),
      )
      .option(
        '--letters <folder>',
        'with the page of all keys: write their letters there, and link them',
      )
      .option(
        '--reads <file>',
        'with a key: count only these members, a name a line, as moving.py serve --list-members prints them',
      )
      .addOption(
        command.createOption('--csv', 'print all keys as comma-separated values').conflicts('json'),
      ),
    'a JSON object',
  )
    .description(
      'report what partners must change to move to the current form, from their usage; without a name: all keys, by what to do next',
    )
    .addHelpText(...example('artist-gateway readiness 3fK9sQ2xA --days 14'))
    .action((name, options) => {
      checkOptions(name, options);
      return withContext((context) =>
        name === undefined ? reportFleet(context, options) : reportSubject(context, name, options),
      );
    });
