import { Command, Option } from 'commander';
import { type FormName, formNames, type Scope } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import { generateKey } from '../../../src/keys/generate-key.ts';
import { newKeyRecord, scopeError } from '../../../src/keys/key-policy.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readLifetime, readLimit, readName, readScopeList } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { checkLimit } from './limit.ts';
import { printNewKey } from './print-new-key.ts';

interface IssueOptions extends AuditOptions {
  readonly organization: string;
  readonly form: FormName;
  readonly scopes: readonly Scope[];
  readonly partner: string;
  readonly expires: number | 'never';
  readonly allowEnvelopeOverride?: boolean;
  readonly perHour?: number | 'default';
  readonly json?: boolean;
}

const issue = (options: IssueOptions): Promise<void> =>
  withDatabase(async (db) => {
    const { organization: organizationId, form, scopes, partner, expires, perHour } = options;
    const refusal = scopeError(form, scopes);
    if (refusal !== undefined) throw new Error(refusal);
    checkLimit(form, perHour);
    const organization = (await loadKeyRegistry(db)).organization(organizationId);
    const now = currentTime();
    const made = generateKey();
    const key = newKeyRecord({
      id: made.id,
      hash: made.hash,
      organizationId,
      partner,
      form,
      scopes,
      createdAt: now,
      expiresAt: expires === 'never' ? undefined : now + expires,
      allowEnvelopeOverride: options.allowEnvelopeOverride ?? false,
      perHour: perHour === 'default' ? undefined : perHour,
    });
    await createKeyStore(db).addKey(key, auditEntry(options, 'keys issue', now));
    note(
      `Key ${key.id} of ${organizationId} was issued to ${partner}; it ${
        key.expiresAt === undefined ? 'does not expire' : `expires at ${formatInstant(key.expiresAt)}`
      }.`,
    );
    if (organization.suspendedAt !== undefined) note(`It opens nothing while ${organizationId} is suspended.`);
    printNewKey(made, options);
  });

/** Makes a key and shows its text, once. */
export const issueCommand = (): Command =>
  withAuditOptions(
    new Command('issue')
      .description('make a key for a partner; its text is shown this once and stored nowhere')
      .requiredOption('--organization <id>', 'whose key it is')
      .addOption(
        new Option('--form <form>', 'the form that every answer to this key has')
          .choices(formNames)
          .makeOptionMandatory(),
      )
      .requiredOption('--scopes <list>', 'what it may see, separated by commas', readScopeList)
      .requiredOption('--partner <name>', 'who uses it, as the variant form tells', readName)
      .option('--expires <duration>', 'when it ends: 12h, 365d, or never', readLifetime, 'never')
      .option('--allow-envelope-override', 'let it ask for the other form with X-Envelope')
      .option('--per-hour <limit>', 'requests an hour, for a key of the variant form', readLimit)
      .option('--json', 'print {id, key} instead of the key alone'),
  )
    .addHelpText(
      'after',
      `
Example:
  artist-gateway keys issue --organization acme --form current --partner "Acme Radio" \\
    --scopes artists:read,spikes:read,signings:read --expires 365d --reason "contract 2026/14"`,
    )
    .action(issue);
