import type { Log } from '../../src/ports.ts';

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly facts: object;
}

/** A log that records its entries. */
export interface MemoryLog extends Log {
  readonly entries: readonly LogEntry[];
}

export const createMemoryLog = (): MemoryLog => {
  const entries: LogEntry[] = [];
  const record = (level: LogEntry['level']) => (facts: object, event: string) => {
    entries.push({ level, event, facts });
  };
  return { entries, info: record('info'), warn: record('warn'), error: record('error') };
};
