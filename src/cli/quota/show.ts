import { Command } from 'commander';
import type { Allowance } from '../../caller.ts';
import type { Standing } from '../../ports.ts';
import { present } from '../accountability.ts';
import { loadAllowances } from '../allowances.ts';
import { readSubjectName } from '../arguments.ts';
import { durationText, instantText } from '../instants.ts';
import { loadIssuedKeys } from '../issued-keys.ts';
import { type Column, printListing } from '../listing.ts';
import { withDatabase } from '../open-database.ts';
import { withQuotas } from '../open-quotas.ts';
import { findSubjects } from './subjects.ts';

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

const rowOf = ({ subject, window, limit }: Allowance, { used, endsAt, msLeft }: Standing): WindowRow => ({
  subject,
  window,
  limit,
  used,
  left: limit - used,
  resets_at: instantText(endsAt),
  resets_in_seconds: Math.ceil(msLeft / 1000),
});

const show = async (name: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { allowances } = await withDatabase(async (db) =>
    findSubjects(await loadIssuedKeys(db), name, await loadAllowances(), present()),
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
