import { formNames } from '../../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { expiresSoon } from '../../../src/keys/key-policy.ts';
import type { UsageReader } from '../../operator/usage.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { loadKeysNearSunset } from '../keys-near-sunset.ts';
import { readDisuse, readDuration, readSubjectName } from '../option-parsers.ts';
import {
  formatTrial,
  type ListedKey,
  listedStates,
  policyOf,
  unreadablePolicies,
} from '../policy.ts';
import { withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';

/** Ids of keys with a request since an instant (epoch milliseconds). */
const usedSince = async (usage: UsageReader, since: number): Promise<ReadonlySet<string>> => {
  const counts = await usage.loadDays(dayOf(since));
  return new Set(counts.filter(({ lastAt }) => lastAt >= since).map(({ keyId }) => keyId));
};

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

/** Durations in milliseconds. */
type Asked = Readonly<Record<'expiresWithin' | 'sunsetWithin' | 'unusedFor', number | undefined>>;

/**
 * What the options ask for that only a key that can be read has, at an instant (epoch
 * milliseconds).
 */
const filtersOf = async (
  { expiresWithin, sunsetWithin, unusedFor }: Asked,
  { usage, usageNow }: Context,
  at: number,
) => {
  const filters: ((key: KeyRecord) => boolean)[] = [];
  if (expiresWithin !== undefined)
    filters.push(
      ({ replacedBy, revokedAt, expiresAt = Infinity }) =>
        replacedBy === undefined && revokedAt === undefined && expiresAt <= at + expiresWithin,
    );
  if (sunsetWithin !== undefined)
    filters.push(({ sunset }) => sunset !== undefined && Date.parse(sunset) <= at + sunsetWithin);
  if (unusedFor !== undefined) {
    const since = usageNow() - unusedFor;
    const used = await usedSince(usage, since);
    filters.push(({ id, createdAt }) => !used.has(id) && createdAt <= since);
  }
  return filters;
};

export const listCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--organization <id>', 'only this organization', readSubjectName)
      .addOption(command.createOption('--form <form>', 'only keys of this form').choices(formNames))
      .addOption(
        command.createOption('--state <state>', 'only keys in this state').choices(listedStates),
      )
      .option(
        '--expires-within <duration>',
        'only keys that have expired or expire within this time: 30d',
        readDuration,
      )
      .option(
        '--sunset-within <duration>',
        'only keys past their sunset, or with one within this time',
        readDuration,
      )
      .option(
        '--unused-for <duration>',
        'only keys older than this and without requests since: 90d',
        readDisuse,
      ),
  )
    .description('list keys with form, scopes and state, oldest first')
    .addHelpText(...example('artist-gateway keys list --organization acme --json'))
    .action(({ organization, form, state, expiresWithin, sunsetWithin, unusedFor, ...options }) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const at = context.now();
        const filters = await filtersOf({ expiresWithin, sunsetWithin, unusedFor }, context, at);
        const keys = registry
          .keysOf(organization)
          .filter((key) => filters.every((matches) => matches(key)));
        const unreadable = filters.length > 0 ? [] : unreadablePolicies(registry);
        const rows = keys
          .toSorted((left, right) => left.createdAt - right.createdAt)
          .map((key): ListedKey => policyOf(key, registry, at))
          .concat(
            unreadable.filter(
              (one) => organization === undefined || one.organization_id === organization,
            ),
          )
          .filter((row) => form === undefined || row.form === form)
          .filter((row) => state === undefined || row.state === state);
        printListing(rows, columns, { ...options, now: at, empty: 'No keys match.' });
        const listed = new Set(rows.map(({ id }) => id));
        const expiring = keys.filter((key) => listed.has(key.id) && expiresSoon(key, at)).length;
        if (expiring > 0 && expiresWithin === undefined)
          note(
            `${countOf(expiring, 'key')} ${expiring === 1 ? 'expires' : 'expire'} within 30 days: ${remedy}.`,
          );
        const near = await loadKeysNearSunset(
          keys.filter(({ id }) => listed.has(id)),
          context.usage,
          context.usageNow(),
        );
        if (near.length > 0)
          note(
            `${countOf(near.length, 'key')} still ${near.length === 1 ? 'calls' : 'call'} within 30 days of the sunset or after it: ${near.map(({ id }) => id).join(', ')}. "migration status" has the next steps.`,
          );
      }),
    );
