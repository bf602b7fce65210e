import { once } from 'node:events';
import { start } from './started.ts';

/** Runs a module of the bench in a process of its own, on the servers' core, and returns the message it sends. */
export const childResult = async <Result>(file: string, args: readonly string[]): Promise<Result> => {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const { child } = start(process.execPath, ['--expose-gc', file, ...args], { stdio: [...stdio] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended without a result`)));
  const [result]: Result[] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {}); // it ends after its result
  if (result === undefined) throw new Error(`${file} sent an empty result`);
  return result;
};
