import { withoutSecrets } from './without-secrets.ts';

/** Tells the operator something beside the result, which goes to standard output alone. */
export const note = (text: string): void => {
  process.stderr.write(`${withoutSecrets(text)}\n`);
};
