import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { readName } from './option-parsers.ts';

/** The actor and the reason of a change, for the audit log. */
export interface AuditOptions {
  readonly actor?: string;
  readonly reason?: string;
}

/** Adds the options that go into the audit log. */
export const withAuditOptions = (command: Command): Command =>
  command
    .option('--actor <name>', 'your name for the audit log (default: your user name)', readName)
    .option('--reason <text>', 'the reason, for the audit log', readName);

/** The name of the user who runs the command. */
export const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`; // in a container a user may have no name
  }
};

/** The audit entry of a command at an instant (epoch milliseconds). The actor is the user unless `--actor` names another. */
export const auditEntry = ({ actor, reason }: AuditOptions, action: string, at: number): AuditEntry => ({
  at,
  actor: actor ?? userName(),
  action,
  reason,
});
