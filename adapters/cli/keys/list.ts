import { withContext } from '../context.ts';
import { type ShowOptions, withShowOptions } from '../listing-options.ts';
import { readSubjectName } from '../option-parsers.ts';
import { type Policy, policyOf } from '../policy.ts';
import type { DefineCommand } from '../program.ts';
import { type Column, printListing } from '../terminal/table.ts';

interface ListOptions extends ShowOptions {
  readonly organization?: string;
}

const columns: readonly Column<Policy>[] = [
  { title: 'key', show: ({ id }) => id },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner, isCuttable: true },
  { title: 'form', show: ({ form }) => form },
  { title: 'scopes', show: ({ scopes }) => scopes.join(','), isCuttable: true },
  { title: 'state', show: ({ state }) => state },
  { title: 'expires', show: ({ expires_at }) => expires_at ?? 'never' },
];

const list = ({ organization, json, wide }: ListOptions): Promise<void> =>
  withContext(async ({ allowances, loadRegistry, now }) => {
    const registry = await loadRegistry();
    const owners = new Map(registry.organizations.map((one) => [one.id, one]));
    const rows = registry
      .keysOf(organization)
      .toSorted((left, right) => left.createdAt - right.createdAt)
      .map((key) => policyOf(key, owners.get(key.organizationId), allowances, now()));
    printListing(rows, columns, { json, wide, now: now() });
  });

/** Lists all issued keys, oldest first. */
export const listCommand: DefineCommand = (command) =>
  withShowOptions(command.option('--organization <id>', 'only this organization', readSubjectName)).action(list);
