import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { UsageError } from './messages.ts';

interface ConfirmOptions {
  readonly yes?: boolean | undefined;
  readonly interruption?: AbortSignal;
}

/**
 * Asks for confirmation. Throws when the answer is no, the end of input or an interruption, and
 * without a terminal unless `yes` is given.
 */
export const confirm = async (
  question: string,
  { yes = false, interruption }: ConfirmOptions,
): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question} Not a terminal: nothing was changed. Re-run with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(terminal, 'close').then(() => '');
  const answer = await Promise.race([
    terminal
      .question(`${plainText(question)} [y/N] `, { ...(interruption && { signal: interruption }) })
      .catch(() => ''),
    closed,
  ]).finally(() => terminal.close());
  interruption?.throwIfAborted();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
};

/** Raises a `UsageError` if there is no reason for the audit log. */
export const requireReason = ({ reason }: { readonly reason?: string | undefined }): void => {
  if (reason === undefined)
    throw new UsageError('Give the reason with --reason TEXT, for the audit log.');
};

/** Asks before a change that turns a customer away, which needs a reason. */
export const confirmHarm = (
  question: string,
  options: { readonly yes?: boolean | undefined; readonly reason?: string | undefined },
): Promise<void> => {
  requireReason(options);
  return confirm(question, options);
};
