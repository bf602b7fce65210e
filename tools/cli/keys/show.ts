import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { formatTrial, formatWindows, type Policy, policyOf } from '../policy.ts';
import { keyArgument } from '../shared-options.ts';
import { type Fact, printFacts, printJson } from '../terminal/table.ts';
import { type LogRow, toLogRow } from './log.ts';

const formatLastChange = ({ at, action, actor, reason }: LogRow): string =>
  `${at ?? 'at no readable time'} ${action} by ${actor}${reason === undefined ? '' : `: ${reason}`}`;

const factsOf = (
  policy: Policy,
  owner: Organization | undefined,
  lastChange: LogRow | undefined,
): Fact[] => [
  ['key', policy.id],
  ['state', policy.state],
  ['organization', `${policy.organization_id}${owner === undefined ? '' : ` (${owner.name})`}`],
  ['partner', policy.partner],
  ['form', policy.form],
  ['trial', formatTrial(policy)],
  ['scopes', policy.scopes.join(',')],
  ['envelope override', policy.allow_envelope_override ? 'allowed' : 'ignored'],
  ['windows', formatWindows(policy)],
  ['created', policy.created_at],
  ['expires', policy.expires_at ?? 'never'],
  ['replaced by', policy.replaced_by],
  ['revoked', policy.revoked_at],
  ['suspended', formatInstant(owner?.suspendedAt)],
  ['deprecated', policy.deprecated_at],
  ['sunset', policy.sunset],
  ['last change', lastChange === undefined ? undefined : formatLastChange(lastChange)],
];

export const showCommand: DefineCommand = (command) =>
  command
    .argument(...keyArgument)
    .option('--json', 'print a JSON object')
    .description('show the policy of a key: form, scopes, quotas, expiry, and its last change')
    .addHelpText(...example('artist-gateway keys show 3fK9sQ2xA'))
    .action((id, { json = false }) =>
      withContext(async ({ audit, loadRegistry, now }) => {
        const registry = await loadRegistry();
        const key = registry.key(id);
        const owner = registry.ownerOf(key);
        const policy = policyOf(key, registry, now());
        const [lastChange] = (await audit.read({ keyId: id, limit: 1 })).map(toLogRow);
        if (json) printJson({ ...policy, last_change: lastChange });
        else printFacts(factsOf(policy, owner, lastChange), { now: now() });
      }),
    );
