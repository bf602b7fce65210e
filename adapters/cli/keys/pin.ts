import { Command, Option } from 'commander';
import { type FormName, formNames, type KeyRecord, type Organization } from '../../../src/domain/caller.ts';
import { pinError, pinRemarks } from '../../../src/keys/pinning.ts';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadReadiness } from '../commands/readiness-load.ts';
import { printReadiness } from '../commands/readiness-print.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { type Database, withDatabase } from '../open-database.ts';
import { readKeyId } from '../option-parsers.ts';
import { policyOf, windowsText } from '../policy.ts';
import { note } from '../terminal/messages.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface PinOptions extends AuditOptions {
  readonly form: FormName;
  readonly dryRun?: true;
}

interface Pin {
  readonly db: Database;
  readonly key: KeyRecord;
  readonly organization: Organization;
  readonly form: FormName;
  readonly now: number;
}

/** Days that a dry run looks back over. */
const days = 30;

const tellOnly = async ({ db, key, organization, form }: Pin): Promise<void> => {
  const move = { from: key.form, to: form };
  const now = systemClock().now(); // requests were counted by it, whatever FIXED_NOW says
  printReadiness(await loadReadiness(db, await loadAllowances(), { organization, keys: [key], move, days, now }));
  note(`Nothing was changed: without --dry-run, key ${key.id} moves to the ${form} form.`);
};

const move = async ({ db, key, organization, form, now }: Pin, account: AuditOptions): Promise<void> => {
  const moved = { ...key, form };
  await createKeyStore(db).changeKey(key, moved, auditEntry(account, 'keys pin', now));
  const policy = policyOf(moved, organization, await loadAllowances(), now);
  note(`Key ${key.id} is moved to the ${form} form: gateways answer in it within seconds.`);
  note(`From now on: ${windowsText(policy)}.`);
  for (const remark of pinRemarks(key, form, now)) note(remark);
};

const pin = (id: string, options: PinOptions): Promise<void> => {
  const { form, dryRun, reason } = options;
  if (dryRun === undefined && reason === undefined)
    throw new UsageError('Say why with --reason TEXT: it is for the log.');
  return withDatabase(async (db) => {
    const issued = await loadKeyRegistry(db);
    const key = issued.key(id);
    const now = currentTime();
    const refusal = pinError(key, form, now);
    if (refusal !== undefined) throw new Error(refusal);
    if (key.form === form) {
      note(`Key ${id} was so already.`);
      return;
    }
    const given = { db, key, organization: issued.organization(key.organizationId), form, now };
    await (dryRun ? tellOnly(given) : move(given, options));
  });
};

/** Moves a key to the other form, and back. */
export const pinCommand = (): Command =>
  withAuditOptions(
    new Command('pin')
      .description('move a key to the other form, or back, for a --reason; nothing of it is lost')
      .argument('<key>', 'the id of the key', readKeyId)
      .addOption(
        new Option('--form <form>', 'the form that every answer to this key has from then on')
          .choices(formNames)
          .makeOptionMandatory(),
      )
      .option('--dry-run', 'tell what the partner must change and what its quota would be, and change nothing'),
  )
    .addHelpText('after', '\nExample:\n  artist-gateway keys pin 3fK9sQ2xA --form current --reason "moved, ticket 77"')
    .action(pin);
