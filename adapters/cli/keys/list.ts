import { countOf } from '../../../src/domain/count-of.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { expiresSoon } from '../../../src/keys/key-policy.ts';
import type { UsageReader } from '../../../src/ports.ts';
import { formNames } from '../../forms/forms.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readDuration, readSubjectName } from '../option-parsers.ts';
import { type Policy, policyOf } from '../policy.ts';
import { withListOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';

const states = ['active', 'suspended', 'expired', 'revoked', 'no organization'] as const;

/** Ids of keys with a request since an instant (epoch milliseconds). */
const usedSince = async (usage: UsageReader, since: number): Promise<ReadonlySet<string>> => {
  const counts = await usage.loadDays(dayOf(since));
  return new Set(counts.filter(({ lastAt }) => lastAt >= since).map(({ keyId }) => keyId));
};

const remedy = 'list them with --expires-within 30d, and replace each with "keys rotate"';

const columns: readonly Column<Policy>[] = [
  { title: 'key', show: ({ id }) => id },
  { title: 'organization', show: ({ organization_id }) => organization_id, importance: 3 },
  { title: 'partner', show: ({ partner }) => partner, isCuttable: true, importance: 4 },
  { title: 'form', show: ({ form }) => form },
  { title: 'scopes', show: ({ scopes }) => scopes.join(','), importance: 1 },
  { title: 'state', show: ({ state }) => state },
  { title: 'expires', show: ({ expires_at }) => expires_at ?? 'never' },
];

export const listCommand: DefineCommand = (command) =>
  withListOptions(
    command
      .option('--organization <id>', 'only this organization', readSubjectName)
      .addOption(command.createOption('--form <form>', 'only keys of this form').choices(formNames))
      .addOption(command.createOption('--state <state>', 'only keys in this state').choices(states))
      .option('--expires-within <duration>', 'only keys that have expired or expire in this time: 30d', readDuration)
      .option('--unused-for <duration>', 'only keys without a request in this time, and older: 90d', readDuration),
  )
    .description('list keys with form, scopes and state, oldest first')
    .addHelpText(...example('artist-gateway keys list --organization acme --json'))
    .action(({ organization, form, state, expiresWithin, unusedFor, json, wide, columns: names }) =>
      withContext(async ({ allowances, usage, loadRegistry, now, usageNow }) => {
        const registry = await loadRegistry();
        const expiresBefore = expiresWithin === undefined ? undefined : now() + expiresWithin;
        const unusedSince = unusedFor === undefined ? undefined : usageNow() - unusedFor;
        const used = unusedSince === undefined ? new Set() : await usedSince(usage, unusedSince);
        const listed = registry
          .keysOf(organization)
          .filter((key) => form === undefined || key.form === form)
          .filter(
            ({ expiresAt = Number.POSITIVE_INFINITY }) => expiresBefore === undefined || expiresAt <= expiresBefore,
          )
          .filter(({ id, createdAt }) => unusedSince === undefined || (!used.has(id) && createdAt <= unusedSince))
          .toSorted((left, right) => left.createdAt - right.createdAt)
          .map((key) => ({ key, policy: policyOf(key, registry.ownerOf(key), allowances, now()) }))
          .filter(({ policy }) => state === undefined || policy.state === state);
        const rows = listed.map(({ policy }) => policy);
        printListing(rows, columns, { json, wide, columns: names, now: now(), empty: 'No key matches.' });
        const expiring = listed.filter(({ key }) => expiresSoon(key, now())).length;
        if (expiring > 0 && expiresWithin === undefined)
          note(`${countOf(expiring, 'key')} ${expiring === 1 ? 'expires' : 'expire'} within 30 days: ${remedy}.`);
      }),
    );
