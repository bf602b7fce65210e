import { formatInstant } from '../../../src/domain/instants.ts';
import { withContext } from '../context.ts';
import { type ShowOptions, withShowOptions } from '../listing-options.ts';
import type { DefineCommand } from '../program.ts';
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
  { title: 'name', show: ({ name }) => name, isCuttable: true },
  { title: 'keys', show: ({ keys }) => keys },
  { title: 'a minute', show: ({ per_minute }) => per_minute ?? 'default' },
  { title: 'a day', show: ({ per_day }) => per_day ?? 'default' },
  { title: 'suspended', show: ({ suspended_at }) => suspended_at ?? 'no' },
];

const list = ({ json, wide }: ShowOptions): Promise<void> =>
  withContext(async ({ loadRegistry, now }) => {
    const registry = await loadRegistry();
    const rows = registry.organizations.map(({ id, name, perMinute, perDay, suspendedAt }) => ({
      id,
      name,
      keys: registry.keysOf(id).length,
      per_minute: perMinute,
      per_day: perDay,
      suspended_at: formatInstant(suspendedAt),
    }));
    printListing(rows, columns, { json, wide, now: now() });
  });

/** Lists the organizations. */
export const listCommand: DefineCommand = (command) => withShowOptions(command).action(list);
