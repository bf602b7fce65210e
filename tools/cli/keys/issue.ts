import { formNames, forms } from '../../../adapters/forms/forms.ts';
import { scopes as allScopes } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { generateKey, type NewKey } from '../../../src/keys/generate-key.ts';
import { hourlyLimitError, newKeyRecord, scopeError } from '../../../src/keys/key-policy.ts';
import { ConflictError } from '../../operator/audited-writes.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import {
  limitAfter,
  readExpiry,
  readLimit,
  readName,
  readScopeList,
  readSubjectName,
} from '../option-parsers.ts';
import { suspensionWarnings } from '../policy.ts';
import { auditEntry, withAuditOptions } from '../shared-options.ts';
import { holdSignals } from '../terminal/hold-signals.ts';
import { isOutputDiscarded, note, writeOut } from '../terminal/messages.ts';

/**
 * Stores a key with `change` and prints it, alone on standard output, so that it can be piped into a
 * secret store. If the key is lost, notes what to do. Rejects before the change if standard output
 * is discarded. Ctrl-C waits for the output.
 */
export const storeAndPrint = async (
  { id, text }: NewKey,
  { json = false }: { readonly json?: boolean },
  change: () => Promise<void>,
): Promise<void> => {
  if (isOutputDiscarded())
    throw new Error(
      'No key created: standard output is closed or /dev/null, so the key would be lost.',
    );
  let lost = `If "artist-gateway keys list" shows key ${id}, its text is lost: revoke it.`;
  await holdSignals(async () => {
    try {
      await change();
      lost = `The text of key ${id} is lost: run "artist-gateway keys rotate ${id} --overlap 0s" to replace it.`;
      note('Save this key now. It is not shown again:');
      await writeOut(`${json ? JSON.stringify({ id, key: text }, null, 2) : text}\n`);
    } catch (error) {
      // After a conflict the new key is revoked already.
      if (!(error instanceof ConflictError)) note(lost);
      throw error;
    }
  });
};

export const issueCommand: DefineCommand = (command) =>
  withAuditOptions(
    command
      .requiredOption('--organization <id>', 'the organization that owns the key', readSubjectName)
      .addOption(
        command
          .createOption('--form <form>', 'the form that this key gets')
          .choices(formNames)
          .makeOptionMandatory(),
      )
      .option(
        '--scopes <list>',
        `exactly these, comma-separated: ${allScopes.join(', ')} (default: artists, spikes and signings; in the variant form also editorial)`,
        readScopeList,
      )
      .requiredOption(
        '--partner <name>',
        'the name of the partner, shown in variant responses',
        readName,
      )
      .option(
        '--expires <when>',
        'a duration (12h, 365d), a date (2027-06-30, at 00:00 UTC) or never',
        readExpiry,
      )
      .option(
        '--allow-envelope-override',
        'allow the key to request the other form with X-Envelope',
      )
      .option('--per-hour <limit>', 'requests per hour, only for the variant form', readLimit)
      .option('--json', 'print {id, key} instead of the key alone'),
  )
    .description('create a key for a partner; its text is printed once and never stored')
    .addHelpText(
      ...example(`artist-gateway keys issue --organization acme \\
  --form current --partner "Acme Radio" --expires 365d \\
  --reason "contract 2026/14"`),
    )
    .action((options) =>
      withContext(async ({ keys, loadRegistry, now }) => {
        const { organization: organizationId, form, partner, expires, perHour } = options;
        const createdAt = now();
        const expiresAt = expires?.(createdAt);
        const facts = factsOfForm(forms, form);
        const { scopes = facts.defaultScopes } = options;
        const refusal =
          scopeError(facts, scopes) ??
          (perHour === undefined ? undefined : hourlyLimitError(facts));
        if (refusal !== undefined) throw new Error(refusal);
        const organization = (await loadRegistry()).organization(organizationId);
        const newKey = generateKey();
        const key = newKeyRecord({
          id: newKey.id,
          hash: newKey.hash,
          organizationId,
          partner,
          form,
          scopes,
          createdAt,
          expiresAt,
          allowEnvelopeOverride: options.allowEnvelopeOverride ?? false,
          perHour: limitAfter(perHour),
        });
        await storeAndPrint(newKey, options, async () => {
          await keys.insertKey(key, auditEntry(options, 'keys issue', createdAt));
          const end =
            key.expiresAt === undefined
              ? 'does not expire'
              : `expires at ${formatInstant(key.expiresAt)}`;
          note(
            `Key ${key.id} of ${organizationId} was issued to ${partner} with ${scopes.join(', ')}; it ${end}.`,
          );
          suspensionWarnings(organization).forEach(note);
        });
      }),
    );
