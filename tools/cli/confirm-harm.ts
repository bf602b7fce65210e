import { nameError } from './option-parsers.ts';
import { askLine, confirm } from './terminal/confirm.ts';
import { note, UsageError } from './terminal/messages.ts';

/**
 * Asks for a reason until it can be stored. Throws when there is none. What is typed here is in no
 * process list and in no shell's history: the text of a key is not leaked as by `--reason`.
 */
export const askReason = async (question: string): Promise<string> => {
  const reason = (await askLine(question)).trim();
  if (reason === '') throw new Error('Nothing was changed.');
  const error = nameError(reason);
  if (error === undefined) return reason;
  note(error);
  return askReason(question);
};

/**
 * Asks before a change that turns a customer away, and for its reason unless `--reason` gives it.
 * Resolves to the reason, for the audit log. Throws when an answer is no or empty, without a
 * terminal unless `yes` is given, and a `UsageError` for `yes` without a reason.
 */
export const confirmHarm = async (
  question: string,
  { yes, reason }: { readonly yes?: boolean | undefined; readonly reason?: string | undefined },
): Promise<string> => {
  if (yes === true && reason === undefined)
    throw new UsageError('--yes needs a reason: give --reason TEXT, for the audit log.');
  const rerunWith = reason === undefined ? '--yes --reason TEXT' : '--yes';
  await confirm(question, { yes, rerunWith });
  return reason ?? askReason('Reason, for the audit log:');
};
