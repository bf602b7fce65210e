import { Command } from 'commander';
import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/instants.ts';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { readAuditLog } from '../../stores/mongodb/audit-log.ts';
import { currentTime } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { type Database, withDatabase } from '../open-database.ts';
import { readKeyId } from '../option-parsers.ts';
import { type Policy, policyOf, windowsText } from '../policy.ts';
import { type Fact, printFacts, printJson } from '../terminal/table.ts';
import { type LogRow, toLogRow } from './log-row.ts';

const lastChangeOf = async (db: Database, keyId: string): Promise<LogRow | undefined> => {
  const [entry] = await readAuditLog(db, { keyId, limit: 1 });
  return entry === undefined ? undefined : toLogRow(entry);
};

const lastChangeText = ({ at, action, actor, reason }: LogRow): string =>
  `${at} ${action} by ${actor}${reason === undefined ? '' : `: ${reason}`}`;

const factsOf = (policy: Policy, owner: Organization | undefined, lastChange: LogRow | undefined): Fact[] => [
  ['key', policy.id],
  ['state', policy.state],
  ['organization', `${policy.organization_id}${owner === undefined ? '' : ` (${owner.name})`}`],
  ['partner', policy.partner],
  ['form', policy.form],
  ['scopes', policy.scopes.join(',')],
  ['envelope override', policy.allow_envelope_override ? 'allowed' : 'ignored'],
  ['windows', windowsText(policy)],
  ['created', policy.created_at],
  ['expires', policy.expires_at ?? 'never'],
  ['revoked', policy.revoked_at],
  ['suspended', formatInstant(owner?.suspendedAt)],
  ['deprecated', policy.deprecated_at],
  ['sunset', policy.sunset],
  ['last change', lastChange === undefined ? undefined : lastChangeText(lastChange)],
];

const show = (id: string, { json = false }: { readonly json?: boolean }): Promise<void> =>
  withDatabase(async (db) => {
    const issued = await loadKeyRegistry(db);
    const key = issued.key(id);
    const owner = issued.organizations.find((one) => one.id === key.organizationId);
    const policy = policyOf(key, owner, await loadAllowances(), currentTime());
    const lastChange = await lastChangeOf(db, id);
    if (json) printJson({ ...policy, last_change: lastChange });
    else printFacts(factsOf(policy, owner, lastChange));
  });

/** Shows a key's effective policy. */
export const showCommand = (): Command =>
  new Command('show')
    .description('show what a key may do: form, scopes, windows, expiry, and its last change')
    .argument('<key>', 'the id of the key', readKeyId)
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  artist-gateway keys show 3fK9sQ2xA')
    .action(show);
