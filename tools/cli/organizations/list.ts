import type { Organization } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import type { KeyRegistry, UnreadableOrganization } from '../resolve-subject.ts';
import { withShowOptions } from '../shared-options.ts';
import { type Column, printListing } from '../terminal/table.ts';

const countKeys = (id: string, { keys }: KeyRegistry): number =>
  keys.filter(({ organizationId }) => organizationId === id).length;

export const organizationRow = (
  { id, name, perMinute, perDay, suspendedAt }: Organization,
  registry: KeyRegistry,
) => ({
  id,
  name,
  keys: countKeys(id, registry),
  per_minute: perMinute,
  per_day: perDay,
  suspended_at: formatInstant(suspendedAt),
});

type Row = ReturnType<typeof organizationRow>;

type OrganizationRow = { readonly [Member in keyof Row]?: Row[Member] | undefined } & Pick<
  Row,
  'id' | 'keys'
> & { readonly unreadable?: true };

const unreadableRow = (
  { id, name, ended }: UnreadableOrganization,
  registry: KeyRegistry,
): OrganizationRow => ({
  id,
  name,
  keys: countKeys(id, registry),
  suspended_at: ended,
  unreadable: true,
});

const organizationRows = (registry: KeyRegistry): readonly OrganizationRow[] => [
  ...registry.organizations.map((one) => organizationRow(one, registry)),
  ...registry.unreadableOrganizations.map((one) => unreadableRow(one, registry)),
];

export const findOrganizationRow = (id: string, registry: KeyRegistry): OrganizationRow =>
  organizationRows(registry).find((one) => one.id === id) ?? { id, keys: 0 };

const formatLimit = (limit: number | undefined, { unreadable }: OrganizationRow) =>
  unreadable ? undefined : (limit ?? 'default');

const columns: readonly Column<OrganizationRow>[] = [
  { title: 'organization', show: ({ id }) => id },
  { title: 'name', show: ({ name }) => name },
  { title: 'keys', show: ({ keys }) => keys },
  { title: 'per minute', show: (row) => formatLimit(row.per_minute, row) },
  { title: 'per day', show: (row) => formatLimit(row.per_day, row) },
  {
    title: 'suspended',
    show: ({ suspended_at, unreadable }) => suspended_at ?? (unreadable ? 'unreadable' : 'no'),
  },
];

export const listCommand: DefineCommand = (command) =>
  withShowOptions(command)
    .description('list organizations with their quotas and number of keys')
    .addHelpText(...example('artist-gateway organizations list'))
    .action((options) =>
      withContext(async ({ loadRegistry, now }) => {
        const rows = organizationRows(await loadRegistry());
        printListing(rows, columns, {
          empty: 'There are no organizations.',
          ...options,
          now: now(),
        });
      }),
    );
