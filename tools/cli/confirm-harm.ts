import { readName } from './option-parsers.ts';
import { askLine, confirm } from './terminal/confirm.ts';
import { UsageError } from './terminal/messages.ts';

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
  await confirm(question, { yes });
  const given = reason ?? (await askLine('Reason, for the audit log:')).trim();
  if (given === '') throw new Error('Nothing was changed.');
  return readName(given);
};
