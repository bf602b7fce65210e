import type { ImportProgress, OnProgress } from '../../import/check-input.ts';
import { note } from '../terminal/messages.ts';
import { startProgress } from '../terminal/progress.ts';

/** The operator pressed Ctrl-C, or the process was asked to end. */
class InterruptedError extends Error {
  readonly signal: NodeJS.Signals;

  constructor(message: string, signal: NodeJS.Signals) {
    super(message);
    this.name = 'InterruptedError';
    this.signal = signal;
  }
}

const bytesPerMb = 2 ** 20;

const describeInterruption = ({ step, done, total }: ImportProgress): string =>
  step === 'Writing'
    ? `Interrupted: ${done} of ${total} artists are written. Run the same command again: it writes the rest.`
    : 'Interrupted: nothing was written.';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that ends in order after Ctrl-C, SIGTERM, or when its terminal is closed: the signal it gets is then aborted by an
 * `InterruptedError`, and the process dies of its own signal. A second signal ends the process at once.
 */
export const interruptible = async (work: (interruption: AbortSignal) => Promise<void>): Promise<void> => {
  const controller = new AbortController();
  const ignore = (): void => {
    for (const one of signals) process.removeListener(one, receive);
  };
  const receive = (signal: NodeJS.Signals): void => {
    ignore();
    controller.abort(new InterruptedError('Interrupted: nothing was written.', signal));
  };
  for (const signal of signals) process.on(signal, receive);
  try {
    await work(controller.signal).finally(ignore);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    note(error.message);
    process.kill(process.pid, error.signal); // a shell ends a loop only when its command died of the signal
  }
};

/** Shows a step: `Reading` in megabytes, the others in artists; nothing before the first one is done. */
const showStep = ({ show }: ReturnType<typeof startProgress>, { step, done, total }: ImportProgress): void => {
  const [unit, size] = step === 'Reading' ? ['MB', bytesPerMb] : ['artists', 1];
  if (done >= size) show(step, `${Math.floor(done / size)} of ${Math.floor(total / size)} ${unit}`);
};

/** Runs work and shows its steps. After an interruption it stops when the next part of a step is done, and rejects with its error. */
export const withStepProgress = async <Result>(
  interruption: AbortSignal,
  work: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> => {
  const shown = startProgress();
  try {
    return await work((progress) => {
      showStep(shown, progress);
      const { reason } = interruption;
      if (reason instanceof InterruptedError && !(progress.step === 'Writing' && progress.done === progress.total)) {
        throw new InterruptedError(describeInterruption(progress), reason.signal);
      }
    });
  } finally {
    shown.end();
  }
};
