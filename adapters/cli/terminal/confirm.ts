import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { plainText } from '../../text/plain-text.ts';
import { columnsOf, wrapWords } from './layout.ts';

/** Columns left for the answer. */
const answerWidth = 5;

/** Asks a question on a terminal. Ctrl-C and the end of input are an empty answer. */
export const askLine = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = once(terminal, 'close').then(() => '');
    const prompt = wrapWords(plainText(question), columnsOf(process.stderr) - answerWidth);
    return await Promise.race([terminal.question(`${prompt} `).catch(() => ''), closed]);
  } finally {
    terminal.close();
  }
};

/** Asks for confirmation. Throws when the answer is no, and without a terminal unless `yes` is given. */
export const confirm = async (
  question: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error(`${question} Not a terminal: nothing was changed. Re-run with --yes.`);
  }
  const answer = await askLine(`${question} [y/N]`);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
};
