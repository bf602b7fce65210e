import { userInfo } from 'node:os';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { readSudoUser } from '../../src/runtime/config.ts';
import type { AuditEntry } from '../operator/audit.ts';
import { readKeyId, readName, readSubjectName } from './option-parsers.ts';

/** Adds the options of a command with wide columns or times; `--json` prints `json`. */
export const withShowOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  json = 'a JSON array',
) =>
  command
    .option('--json', `print ${json}`)
    .option('--wide', 'print every column, with exact times');

export const keyArgument = ['<key>', 'the id of the key', readKeyId] as const;
export const organizationArgument = ['<organization>', 'its id', readSubjectName] as const;
export const subjectArgument = [
  '<organization|key>',
  'an id; organization:ID or key:ID if it could be either',
  readSubjectName,
] as const;
export const inputArgument = [
  '<path...>',
  'folders and files: artists, history and labels, .json or .ndjson',
] as const;

interface AuditOptions {
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
}

export interface ChangeOptions extends AuditOptions {
  readonly json?: boolean | undefined;
}

/** Adds the options that go into the audit log. */
export const withAuditOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option(
      '--actor <name>',
      'your name for the audit log (default: your user name, also behind sudo)',
      readName,
    )
    .option('--reason <text>', 'the reason, for the audit log', readName);

/** Adds the options of a command that changes something; `--json` prints `result`. */
export const withChangeOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  result = 'the key as "keys show" does',
) => withAuditOptions(command).option('--json', `print ${result}`);

/** The name of the user who runs the command; for root, of the user who called `sudo`, if any. */
export const userName = (): string => {
  try {
    const { uid, username } = userInfo();
    return (uid === 0 ? readSudoUser() : undefined) ?? username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`; // in a container a user may have no name
  }
};

/**
 * The audit entry of a command at an instant (epoch milliseconds). The actor is the user unless
 * `--actor` names another.
 */
export const auditEntry = (
  { actor, reason }: AuditOptions,
  action: string,
  at: number,
): AuditEntry => ({
  at,
  actor: actor ?? userName(),
  action,
  reason,
});
