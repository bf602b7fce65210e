import { note } from './messages.ts';

/** What asks a process to end: Ctrl-C, `kill`, a terminal that was closed. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A signal is answered after this time, in milliseconds, when the work could not end before. One
 * Ctrl-C may come twice until then: npm sends its own too.
 */
const answerMs = 500;

interface SignalHandlers {
  /** Gets the first signal. */
  readonly receive: (signal: NodeJS.Signals) => void;
  /** Is called before a note says that the work has not ended yet. */
  readonly beforeNote?: () => void;
  /** Is called before a second signal, after that note, ends the process at once. */
  readonly warn?: () => void;
}

/** Catches signals that ask the process to end, until the function is called that it returns. */
export const catchSignals = ({ receive, beforeNote, warn }: SignalHandlers): (() => void) => {
  let isAnswered = false;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    for (const one of endSignals) process.removeListener(one, take);
  };
  const take = (signal: NodeJS.Signals): void => {
    if (isAnswered) {
      release();
      warn?.();
      process.kill(process.pid, signal);
      return;
    }
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      isAnswered = true;
      beforeNote?.();
      note('Interrupted: ending what has begun. A second signal ends the process at once.');
    }, answerMs).unref();
    receive(signal);
  };
  for (const signal of endSignals) process.on(signal, take);
  return release;
};

/**
 * Does work that no signal interrupts; when there was one the process ends by it, after the command
 * has ended. A second signal, after the first was answered, ends it at once, after `warn`.
 */
export const holdSignals = async (work: () => Promise<void>, warn: () => void): Promise<void> => {
  let held: NodeJS.Signals | undefined;
  const release = catchSignals({
    receive(signal) {
      held = signal;
    },
    warn,
  });
  try {
    await work();
  } finally {
    release();
    const signal = held;
    // a shell ends a loop only when its command died of the signal
    if (signal !== undefined) process.once('exit', () => process.kill(process.pid, signal));
  }
};
