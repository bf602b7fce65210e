import { Command, Option } from 'commander';
import { createKeyStore } from '../../../adapters/mongodb/key-store.ts';
import { type FormName, formNames, type Scope } from '../../caller.ts';
import { newKeyRecord, whyNotScopes } from '../../key-changes.ts';
import { mintKey } from '../../new-key.ts';
import { type Account, accountable, deedOf, present } from '../accountability.ts';
import { readLifetime, readLimit, readName, readScopeList } from '../arguments.ts';
import { instantText } from '../instants.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { note } from '../notes.ts';
import { withDatabase } from '../open-database.ts';
import { checkLimit } from './limit.ts';
import { printNewKey } from './print-new-key.ts';

interface IssueOptions extends Account {
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
    const refusal = whyNotScopes(form, scopes);
    if (refusal !== undefined) throw new Error(refusal);
    checkLimit(form, perHour);
    const organization = (await loadIssuedKeys(db)).organization(organizationId);
    const now = present();
    const made = mintKey();
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
    await createKeyStore(db).addKey(key, deedOf(options, 'keys issue', now));
    note(
      `Key ${key.id} of ${organizationId} was issued to ${partner}; it ${
        key.expiresAt === undefined ? 'does not expire' : `expires at ${instantText(key.expiresAt)}`
      }.`,
    );
    if (organization.suspendedAt !== undefined) note(`It opens nothing while ${organizationId} is suspended.`);
    printNewKey(made, options);
  });

/** Makes a key and shows its text, once. */
export const issueCommand = (): Command =>
  accountable(
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
