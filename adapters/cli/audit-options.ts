import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import type { AuditEntry } from '../stores/mongodb/audit-log.ts';
import { readName } from './option-parsers.ts';
import { storeSettings } from './settings.ts';

/** What an operator may say about a change, for the log. */
export interface AuditOptions {
  readonly actor?: string;
  readonly reason?: string;
}

/** Adds the options with which a change is accounted for. */
export const withAuditOptions = (command: Command): Command =>
  command
    .option('--actor <name>', 'who does this, for the log (your user name unless given)', readName)
    .option('--reason <text>', 'why, for the log', readName);

const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`; // in a container a user may have no name
  }
};

/** The present, which `FIXED_NOW` may hold still as it does for a gateway. */
export const currentTime = (): number => {
  const { fixedNow } = storeSettings();
  return (fixedNow === undefined ? systemClock() : fixedClock(fixedNow)).now();
};

/** Who does what, now, and why. */
export const auditEntry = ({ actor, reason }: AuditOptions, action: string, at: number): AuditEntry => ({
  at,
  actor: actor ?? userName(),
  action,
  reason,
});
