import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { columnsOf, wrapWords } from './layout.ts';

/** Columns left for the answer. */
const answerWidth = 5;

/**
 * Asks a question on a terminal. Ctrl-C, the end of input and an interruption are an empty answer.
 */
export const askLine = async (question: string, interruption?: AbortSignal): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = once(terminal, 'close').then(() => '');
    const prompt = wrapWords(plainText(question), columnsOf(process.stderr) - answerWidth);
    return await Promise.race([
      terminal
        .question(`${prompt} `, { ...(interruption && { signal: interruption }) })
        .catch(() => ''),
      closed,
    ]);
  } finally {
    terminal.close();
  }
};

interface ConfirmOptions {
  readonly yes?: boolean | undefined;
  /** The options that a run without a terminal needs. */
  readonly rerunWith?: string;
  readonly interruption?: AbortSignal;
}

/**
 * Asks for confirmation. Throws when the answer is no or an interruption, and without a
 * terminal unless `yes` is given.
 */
export const confirm = async (
  question: string,
  { yes = false, rerunWith = '--yes', interruption }: ConfirmOptions,
): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error(`${question} Not a terminal: nothing was changed. Re-run with ${rerunWith}.`);
  }
  const answer = await askLine(`${question} [y/N]`, interruption);
  interruption?.throwIfAborted();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
};
