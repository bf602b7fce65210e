import { note } from './messages.ts';

/** What asks a process to end: Ctrl-C, `kill`, a terminal that was closed. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A signal is answered after this time, in milliseconds, when the work could not end before. One
 * Ctrl-C may come twice until then: npm sends its own too.
 */
const answerMs = 500;

/** Tells in time, after `before`, that a signal came; to be cleared when the work has ended. */
export const answerSignal = (before: () => void): NodeJS.Timeout =>
  setTimeout(() => {
    before();
    note('Interrupted: ending what has begun. A second signal ends the process at once.');
  }, answerMs).unref();

/**
 * Does work that no signal interrupts; when there was one the process ends by it, after the command
 * has ended. A second signal, after the first was answered, ends it at once, after `warn`.
 */
export const holdSignals = async (work: () => Promise<void>, warn: () => void): Promise<void> => {
  let held: NodeJS.Signals | undefined;
  let isAnswered = false;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    for (const one of endSignals) process.removeListener(one, receive);
  };
  const receive = (signal: NodeJS.Signals): void => {
    if (isAnswered) {
      release();
      warn();
      process.kill(process.pid, signal);
      return;
    }
    held ??= signal;
    timer ??= answerSignal(() => {
      isAnswered = true;
    });
  };
  for (const signal of endSignals) process.on(signal, receive);
  try {
    await work();
  } finally {
    release();
    const signal = held;
    // a shell ends a loop only when its command died of the signal
    if (signal !== undefined) process.once('exit', () => process.kill(process.pid, signal));
  }
};
