import { Command } from 'commander';
import { readAuditLog } from '../../stores/mongodb/audit-log.ts';
import { withDatabase } from '../open-database.ts';
import { readCount, readKeyId } from '../option-parsers.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { changeText, type LogRow, toLogRow } from './log-row.ts';

interface LogOptions {
  readonly key?: string;
  readonly organization?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const columns: readonly Column<LogRow>[] = [
  { title: 'at', show: ({ at }) => at },
  { title: 'actor', show: ({ actor }) => actor },
  { title: 'action', show: ({ action }) => action },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'key', show: ({ key_id }) => key_id },
  { title: 'reason', show: ({ reason }) => reason },
  { title: 'change', show: changeText },
];

const log = ({ key, organization, limit, json }: LogOptions): Promise<void> =>
  withDatabase(async (db) => {
    const entries = await readAuditLog(db, { keyId: key, organizationId: organization, limit });
    printListing(entries.map(toLogRow), columns, { json });
  });

/** Lists what was done to keys, organizations and quotas, and by whom. */
export const logCommand = (): Command =>
  new Command('log')
    .description('list every change of keys, organizations and quotas, newest last')
    .option('--key <id>', 'of this key only', readKeyId)
    .option('--organization <id>', 'of this organization and its keys only')
    .option('--limit <count>', 'the newest so many', readCount, 100)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway keys log --organization acme')
    .action(log);
