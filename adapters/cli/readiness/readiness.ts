import type { KeyRecord } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import type { ArtistIdentifiers } from '../../../src/domain/model.ts';
import { requestedMove } from '../../../src/migration/evidence.ts';
import { exampleCalls } from '../../../src/migration/example-calls.ts';
import {
  assessReadiness,
  type MigrationReadiness,
  type ReadinessQuestion,
  readinessPeriod,
} from '../../../src/migration/readiness.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { letterHtml, writeLetter } from '../letter/letter.ts';
import { readCount, readSubjectName } from '../option-parsers.ts';
import { activeKeys, resolveSubject } from '../resolve-subject.ts';
import { gatewaySettings } from '../settings.ts';
import { withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { printReadiness } from './print.ts';

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

/** Prints the letter to the partner of one key. */
const printLetter = async (
  context: Context,
  key: KeyRecord,
  readiness: MigrationReadiness,
  html: boolean,
): Promise<void> => {
  const [report] = readiness.keys;
  if (report === undefined) return;
  const { usage, identifiers, forms } = context;
  const { publicUrl, supportContact } = gatewaySettings();
  const counts = (await usage.loadDays(readiness.since, key.organizationId)).filter(({ keyId }) => keyId === key.id);
  let sample: ArtistIdentifiers | undefined;
  for await (sample of identifiers.readAll()) if (sample !== undefined) break;
  const text = writeLetter({
    key,
    report,
    quota: readiness.quota,
    calls: exampleCalls({
      counts: counts.filter(({ form }) => form === requestedMove.from),
      move: requestedMove,
      sample,
      identifierOf: (form) => factsOfForm(forms, form).artistIdentifier,
    }),
    move: requestedMove,
    baseUrl: publicUrl ?? 'https://api.example.org',
    supportContact,
  });
  if (publicUrl === undefined)
    note('PUBLIC_URL is not set: the letter has https://api.example.org instead of your address.');
  process.stdout.write(html ? letterHtml(text, `For ${key.partner}`) : text);
};

export const readinessCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName)
      .option('--days <count>', 'UTC days of usage to assess, including today', readCount, 30)
      .addOption(
        command.createOption('--letter', 'print a letter to the partner of a key, in Markdown').conflicts('json'),
      )
      .addOption(command.createOption('--html', 'print the letter as an HTML page').conflicts('json')),
    'a JSON object',
  )
    .description(
      'report what a partner must change to move to the current form, from its usage, and how its quota would hold',
    )
    .addHelpText(...example('artist-gateway readiness 3fK9sQ2xA --days 14'))
    .action((name, { days, json, wide, letter = false, html = false }) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const subject = resolveSubject(registry, name);
        const { organization } = subject;
        if ((letter || html) && subject.kind !== 'key') throw new UsageError('A letter is for one key: name the key.');
        const now = context.usageNow();
        const keys =
          subject.kind === 'key'
            ? [subject.key]
            : activeKeys(registry.keysOf(organization.id), now).filter(({ form }) => form === requestedMove.from);
        const readiness = await loadReadiness(context, { organization, keys, move: requestedMove, days, now });
        if (subject.kind === 'key' && (letter || html)) await printLetter(context, subject.key, readiness, html);
        else if (json) printJson(readiness);
        else printReadiness(readiness, { wide, now });
      }),
    );
