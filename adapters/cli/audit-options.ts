import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { readName } from './option-parsers.ts';

/** What an operator may say about a change, for the audit log. */
export interface AuditOptions {
  readonly actor?: string;
  readonly reason?: string;
}

/** Adds the options that go into the audit log. */
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

/** The audit entry of a command at an instant (epoch milliseconds). Without `--actor` it is the user's. */
export const auditEntry = ({ actor, reason }: AuditOptions, action: string, at: number): AuditEntry => ({
  at,
  actor: actor ?? userName(),
  action,
  reason,
});
