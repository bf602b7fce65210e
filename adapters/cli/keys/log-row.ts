import { formatInstant } from '../../../src/domain/instants.ts';
import type { LogEntry } from '../../stores/mongodb/audit-log.ts';

/** An entry of the key log as it is printed. */
export interface LogRow {
  readonly at: string | undefined;
  readonly actor: string;
  readonly action: string;
  readonly key_id: string | undefined;
  readonly organization_id: string | undefined;
  readonly reason: string | undefined;
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

export const toLogRow = ({ at, keyId, organizationId, ...entry }: LogEntry): LogRow => ({
  at: formatInstant(at),
  actor: entry.actor,
  action: entry.action,
  key_id: keyId,
  organization_id: organizationId,
  reason: entry.reason,
  before: entry.before,
  after: entry.after,
});

const valueText = (value: unknown): string => {
  if (value === undefined) return '–';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** What changed, in words: `partner: A → B`. Of what was made, only what was chosen is told. */
export const changeText = ({ before, after }: LogRow): string => {
  if (before === undefined && after === undefined) return '';
  if (before === undefined) {
    const { organization_id: _told, created_at: _atToo, ...chosen } = after ?? {};
    return Object.entries(chosen)
      .map(([name, value]) => `${name}: ${valueText(value)}`)
      .join('; ');
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after ?? {})])];
  return names.map((name) => `${name}: ${valueText(before[name])} → ${valueText(after?.[name])}`).join('; ');
};
