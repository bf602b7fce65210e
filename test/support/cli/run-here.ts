import { createProgram } from '../../../tools/cli/program.ts';

/** Replaces the writing of a stream, and collects what is written until `release` is called. */
const collect = (stream: NodeJS.WriteStream) => {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    text += String(chunk);
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => text,
    release(): void {
      stream.write = write;
    },
  };
};

/**
 * Runs a command in this process with these environment variables. Resolves to its standard output,
 * or rejects as it does.
 */
export const runHere = async (
  settings: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> => {
  const before = process.env;
  const outputs = [collect(process.stdout), collect(process.stderr)];
  process.env = { ...settings };
  try {
    await (await createProgram(args)).parseAsync(args, { from: 'user' });
    return outputs[0]?.text() ?? '';
  } finally {
    process.env = before;
    for (const { release } of outputs) release();
  }
};
