import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks before something cannot be undone. Without a terminal there is nobody to ask: then it is refused, with the option
 * that says yes beforehand.
 */
export const confirm = async (
  question: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error(`${question} Nobody is there to ask, so nothing was changed: add --yes to do it.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and the end of input answer nothing, which is a no.
    const silence = once(terminal, 'close').then(() => '');
    const answer = await Promise.race([terminal.question(`${question} [y/N] `).catch(() => ''), silence]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
  } finally {
    terminal.close();
  }
};
