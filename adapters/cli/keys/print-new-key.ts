import type { NewKey } from '../../../src/keys/generate-key.ts';
import { note } from '../terminal/messages.ts';

/** Shows the text of a key, alone on standard output, so that it can be piped to where it is to be kept. */
export const printNewKey = ({ id, text }: NewKey, { json = false }: { readonly json?: boolean }): void => {
  note('This is the only time that its text is shown:');
  process.stdout.write(`${json ? JSON.stringify({ id, key: text }, null, 2) : text}\n`);
};
