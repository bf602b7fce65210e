import type { KeyRecord } from '../../../src/domain/caller.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { expiresSoon } from '../../../src/keys/key-policy.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readDuration, readSubjectName } from '../option-parsers.ts';
import { formatTrial, type ListedKey, policyOf, unreadablePolicies } from '../policy.ts';
import { withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';

const remedy =
  'list them with --expires-within 30d, and replace each that has not expired with "keys rotate"';

const columns: readonly Column<ListedKey>[] = [
  { title: 'key', show: ({ id }) => id },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner },
  { title: 'form', show: ({ form }) => form },
  { title: 'trial', show: formatTrial, isWide: true },
  { title: 'scopes', show: ({ scopes }) => scopes?.join(','), isWide: true },
  { title: 'state', show: ({ state }) => state },
  {
    title: 'expires',
    // A key whose document cannot be read has neither member.
    show: ({ created_at, expires_at }) =>
      expires_at ?? (created_at === undefined ? undefined : 'never'),
  },
  { title: 'replaced by', show: ({ replaced_by }) => replaced_by, isWide: true },
  { title: 'sunset', show: ({ sunset }) => sunset },
];

/** True if a key without a successor expires until `end` (epoch milliseconds). */
const expiresBefore = (
  { replacedBy, revokedAt, expiresAt = Infinity }: KeyRecord,
  end: number,
): boolean => replacedBy === undefined && revokedAt === undefined && expiresAt <= end;

export const listCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--organization <id>', 'only this organization', readSubjectName)
      .option(
        '--expires-within <duration>',
        'only keys that have expired or expire within this time: 30d',
        readDuration,
      ),
  )
    .description('list keys with form, scopes and state, oldest first')
    .addHelpText(...example('artist-gateway keys list --organization acme --json'))
    .action(({ organization, expiresWithin, ...options }) =>
      withContext(async ({ loadRegistry, now }) => {
        const registry = await loadRegistry();
        const at = now();
        const all = registry.keysOf(organization);
        const keys =
          expiresWithin === undefined
            ? all
            : all.filter((key) => expiresBefore(key, at + expiresWithin));
        const unreadable = expiresWithin === undefined ? unreadablePolicies(registry) : [];
        const rows = [
          ...keys
            .toSorted((left, right) => left.createdAt - right.createdAt)
            .map((key): ListedKey => policyOf(key, registry, at)),
          ...unreadable.filter(
            (one) => organization === undefined || one.organization_id === organization,
          ),
        ];
        printListing(rows, columns, { ...options, now: at, empty: 'No keys match.' });
        const expiring = keys.filter((key) => expiresSoon(key, at)).length;
        if (expiring > 0 && expiresWithin === undefined)
          note(
            `${countOf(expiring, 'key')} ${expiring === 1 ? 'expires' : 'expire'} within 30 days: ${remedy}.`,
          );
      }),
    );
