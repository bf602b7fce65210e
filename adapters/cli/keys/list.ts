import { Command } from 'commander';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { currentTime } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { type Policy, policyOf } from '../policy.ts';
import { type Column, printListing } from '../terminal/table.ts';

interface ListOptions {
  readonly organization?: string;
  readonly json?: boolean;
}

const columns: readonly Column<Policy>[] = [
  { title: 'key', show: ({ id }) => id },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner },
  { title: 'form', show: ({ form }) => form },
  { title: 'scopes', show: ({ scopes }) => scopes.join(',') },
  { title: 'state', show: ({ state }) => state },
  { title: 'expires', show: ({ expires_at }) => expires_at ?? 'never' },
];

const list = ({ organization, json }: ListOptions): Promise<void> =>
  withDatabase(async (db) => {
    const issued = await loadKeyRegistry(db);
    if (organization !== undefined) issued.organization(organization);
    const now = currentTime();
    const allowances = await loadAllowances();
    const owners = new Map(issued.organizations.map((one) => [one.id, one]));
    const rows = issued.keys
      .filter(({ organizationId }) => organization === undefined || organizationId === organization)
      .toSorted((left, right) => left.createdAt - right.createdAt)
      .map((key) => policyOf(key, owners.get(key.organizationId), allowances, now));
    printListing(rows, columns, { json });
  });

/** Lists the keys that were issued, oldest first. */
export const listCommand = (): Command =>
  new Command('list')
    .description('list keys, oldest first, with what they may see and whether they are good')
    .option('--organization <id>', 'of this organization only')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway keys list --organization acme --json')
    .action(list);
