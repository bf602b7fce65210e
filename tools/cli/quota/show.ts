import type { Allowance } from '../../../src/domain/caller.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import type { QuotaStatus } from '../../../src/ports.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext, withQuotas } from '../context.ts';
import { subjectAllowances } from '../policy.ts';
import { resolveSubject } from '../resolve-subject.ts';
import { subjectArgument, withShowOptions } from '../shared-options.ts';
import { type Column, printListing } from '../terminal/table.ts';

const toRow = ({ subject, window, limit }: Allowance, { used, endsAt, msLeft }: QuotaStatus) => ({
  subject,
  window,
  limit,
  used,
  left: limit - used,
  resets_at: formatInstant(endsAt),
  resets_in_seconds: Math.ceil(msLeft / 1000),
});

const columns: readonly Column<ReturnType<typeof toRow>>[] = [
  { title: 'counted for', show: ({ subject }) => subject },
  { title: 'window', show: ({ window }) => window },
  { title: 'limit', show: ({ limit }) => limit },
  { title: 'used', show: ({ used }) => used },
  { title: 'left', show: ({ left }) => left },
  { title: 'resets', show: ({ resets_at }) => resets_at },
];

export const showCommand: DefineCommand = (command) =>
  withShowOptions(command.argument(...subjectArgument))
    .description('show what is left in each window; consumes nothing')
    .addHelpText(...example('artist-gateway quota show acme'))
    .action((name, options) =>
      withContext(async ({ loadRegistry, now, usageNow }) => {
        const registry = await loadRegistry();
        const windows = subjectAllowances(resolveSubject(registry, name), registry, now());
        const rows = await withQuotas((quotas) =>
          Promise.all(
            windows.map(async (allowance) => toRow(allowance, await quotas.read(allowance))),
          ),
        );
        printListing(rows, columns, { ...options, now: usageNow() });
      }),
    );
