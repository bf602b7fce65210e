import { Command } from 'commander';
import { formatInstant } from '../../../src/domain/instants.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { type Column, printListing } from '../terminal/table.ts';

interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly keys: number;
  readonly per_minute: number | undefined;
  readonly per_day: number | undefined;
  readonly suspended_at: string | undefined;
}

const columns: readonly Column<OrganizationRow>[] = [
  { title: 'organization', show: ({ id }) => id },
  { title: 'name', show: ({ name }) => name },
  { title: 'keys', show: ({ keys }) => keys },
  { title: 'a minute', show: ({ per_minute }) => per_minute ?? 'default' },
  { title: 'a day', show: ({ per_day }) => per_day ?? 'default' },
  { title: 'suspended', show: ({ suspended_at }) => suspended_at ?? 'no' },
];

const list = ({ json }: { readonly json?: boolean }): Promise<void> =>
  withDatabase(async (db) => {
    const { organizations, keys } = await loadKeyRegistry(db);
    const rows = organizations.map(({ id, name, perMinute, perDay, suspendedAt }) => ({
      id,
      name,
      keys: keys.filter(({ organizationId }) => organizationId === id).length,
      per_minute: perMinute,
      per_day: perDay,
      suspended_at: formatInstant(suspendedAt),
    }));
    printListing(rows, columns, { json });
  });

/** Lists the organizations. */
export const listCommand = (): Command =>
  new Command('list')
    .description('list organizations with their quotas and how many keys were issued to them')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway organizations list')
    .action(list);
