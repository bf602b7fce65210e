import { Command } from 'commander';
import type { Allowance } from '../../../src/domain/caller.ts';
import { durationText, formatInstant } from '../../../src/domain/instants.ts';
import type { QuotaStatus } from '../../../src/ports.ts';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { currentTime } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { withQuotas } from '../open-quotas.ts';
import { readSubjectName } from '../option-parsers.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { findSubjects } from './quota-subjects.ts';

interface WindowRow {
  readonly subject: string;
  readonly window: string;
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly resets_at: string | undefined;
  readonly resets_in_seconds: number;
}

const columns: readonly Column<WindowRow>[] = [
  { title: 'counted for', show: ({ subject }) => subject },
  { title: 'window', show: ({ window }) => window },
  { title: 'limit', show: ({ limit }) => limit },
  { title: 'used', show: ({ used }) => used },
  { title: 'left', show: ({ left }) => left },
  {
    title: 'starts anew',
    show: ({ resets_at, resets_in_seconds }) => `${resets_at} (in ${durationText(resets_in_seconds * 1000)})`,
  },
];

const rowOf = ({ subject, window, limit }: Allowance, { used, endsAt, msLeft }: QuotaStatus): WindowRow => ({
  subject,
  window,
  limit,
  used,
  left: limit - used,
  resets_at: formatInstant(endsAt),
  resets_in_seconds: Math.ceil(msLeft / 1000),
});

const show = async (name: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { allowances } = await withDatabase(async (db) =>
    findSubjects(await loadKeyRegistry(db), name, await loadAllowances(), currentTime()),
  );
  const rows = await withQuotas((quotas) =>
    Promise.all(allowances.map(async (allowance) => rowOf(allowance, await quotas.read(allowance)))),
  );
  printListing(rows, columns, { json });
};

/** Shows what is left in each window. Looking spends nothing. */
export const showCommand = (): Command =>
  new Command('show')
    .description('show what is left in each window, without spending')
    .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway quota show acme')
    .action(show);
