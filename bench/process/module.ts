import { fileURLToPath } from 'node:url';
import { type StartOptions, start } from './started.ts';

/** Starts a module of the bench, by its path in the bench, in a process of its own: a load generator, a peer, a probe. */
export const startModule = (path: string, args: readonly string[] = [], options: Omit<StartOptions, 'stdio'> = {}) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const started = start(process.execPath, ['--expose-gc', file, ...args], { ...options, stdio: [...stdio] });
  const { child } = started;
  return {
    ...started,
    send: (message: object | string): void => void child.send(message),
    /** The next message that it sends; rejects when it ends instead. */
    next: <Message>() =>
      new Promise<Message>((resolve, reject) => {
        const fail = () => reject(new Error(`${path} ended before it had said everything`));
        child.once('exit', fail).once('message', (message: Message) => {
          child.off('exit', fail);
          resolve(message);
        });
      }),
  };
};
