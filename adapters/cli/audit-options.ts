import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { readName } from './option-parsers.ts';

/** The actor and the reason of a change, for the audit log. */
export interface AuditOptions {
  readonly actor?: string;
  readonly reason?: string;
}

/** The options of a command that changes something. */
export interface ChangeOptions extends AuditOptions {
  readonly json?: boolean;
}

/** Adds the options that go into the audit log. */
export const withAuditOptions = (command: Command): Command =>
  command
    .option('--actor <name>', 'your name for the audit log (default: your user name)', readName)
    .option('--reason <text>', 'the reason, for the audit log', readName);

/** Adds the options of a command that changes something; `--json` prints `result`. */
export const withChangeOptions = (command: Command, result = 'the key as "keys show" does'): Command =>
  withAuditOptions(command).option('--json', `print ${result}`);

/** Adds the option that answers the question before a change. */
export const withYes = (command: Command): Command => command.option('--yes', 'do not ask for confirmation');

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
