import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { withListOptions } from '../shared-options.ts';
import { type Column, printListing } from '../terminal/table.ts';

/** An organization as `--json` prints it. */
export const organizationRow = (
  { id, name, perMinute, perDay, suspendedAt }: Organization,
  registry: KeyRegistry,
) => ({
  id,
  name,
  keys: registry.keys.filter(({ organizationId }) => organizationId === id).length,
  per_minute: perMinute,
  per_day: perDay,
  suspended_at: formatInstant(suspendedAt),
});

/** The organization with this id; its id alone when its document cannot be read. */
export const findOrganizationRow = (id: string, registry: KeyRegistry) => {
  const organization = registry.organizations.find((one) => one.id === id);
  return organization === undefined ? { id } : organizationRow(organization, registry);
};

const columns: readonly Column<ReturnType<typeof organizationRow>>[] = [
  { title: 'organization', show: ({ id }) => id },
  { title: 'name', show: ({ name }) => name, isCuttable: true, importance: 4 },
  { title: 'keys', show: ({ keys }) => keys, importance: 3 },
  { title: 'per minute', show: ({ per_minute }) => per_minute ?? 'default', importance: 1 },
  { title: 'per day', show: ({ per_day }) => per_day ?? 'default', importance: 2 },
  { title: 'suspended', show: ({ suspended_at }) => suspended_at ?? 'no' },
];

export const listCommand: DefineCommand = (command) =>
  withListOptions(command)
    .description('list organizations with their quotas and number of keys')
    .addHelpText(...example('artist-gateway organizations list'))
    .action((options) =>
      withContext(async ({ loadRegistry, now }) => {
        const registry = await loadRegistry();
        const rows = registry.organizations.map((organization) =>
          organizationRow(organization, registry),
        );
        printListing(rows, columns, {
          empty: 'There are no organizations.',
          ...options,
          now: now(),
        });
      }),
    );
