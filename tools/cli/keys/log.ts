import { formatInstant } from '../../../src/domain/quantities.ts';
import type { AuditedChange, AuditRecord } from '../../operator/audit.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readCount, readKeyId, readSubjectName } from '../option-parsers.ts';
import { withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printListing } from '../terminal/table.ts';

export const toLogRow = ({ at, keyId, organizationId, ...record }: AuditRecord) => ({
  at: formatInstant(at),
  actor: record.actor,
  action: record.action,
  key_id: keyId,
  organization_id: organizationId,
  reason: record.reason,
  before: record.before,
  after: record.after,
});

export type LogRow = ReturnType<typeof toLogRow>;

const formatValue = (value: unknown): string => {
  if (value === undefined) return '–';
  if (value instanceof Date) return formatInstant(value.getTime()) ?? 'no date';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * The change in words: `partner: A → B`. Of an inserted document only the members that the operator
 * chose.
 */
export const formatChange = ({ before, after }: AuditedChange): string => {
  if (before === undefined && after === undefined) return '';
  if (before === undefined) {
    const { organization_id: _organization, created_at: _createdAt, ...chosen } = after ?? {};
    return Object.entries(chosen)
      .map(([name, value]) => `${name}: ${formatValue(value)}`)
      .join('; ');
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after ?? {})])];
  return names
    .map((name) => `${name}: ${formatValue(before[name])} → ${formatValue(after?.[name])}`)
    .join('; ');
};

const columns: readonly Column<LogRow>[] = [
  { title: 'at', show: ({ at }) => at },
  { title: 'actor', show: ({ actor }) => actor },
  { title: 'action', show: ({ action }) => action },
  { title: 'organization', show: ({ organization_id }) => organization_id, isWide: true },
  { title: 'key', show: ({ key_id }) => key_id },
  { title: 'reason', show: ({ reason }) => reason },
  { title: 'change', show: formatChange },
];

export const logCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--key <id>', 'only this key', readKeyId)
      .option('--organization <id>', 'only this organization and its keys', readSubjectName)
      .option('--limit <count>', 'how many of the newest records to list', readCount, 100),
  )
    .description('list every change to keys, organizations and quotas, newest last')
    .addHelpText(...example('artist-gateway keys log --organization acme'))
    .action(({ key, organization, limit, ...options }) =>
      withContext(async ({ audit, now }) => {
        const query = { keyId: key, organizationId: organization, limit: limit + 1 };
        const records = await audit.read(query);
        const newest = records.slice(-limit);
        printListing(newest.map(toLogRow), columns, { ...options, now: now() });
        if (records.length > limit)
          note(
            `These are the newest ${limit} records. List older ones too with a higher --limit: 999999.`,
          );
      }),
    );
