import type { ImportProgress, OnProgress } from '../../import/check-input.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';

/** The operator pressed Ctrl-C, or the process was asked to end. */
export class InterruptedError extends Error {
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

/** Shows each step as progress of its own: `Reading` in megabytes, the others in artists. */
const createStepProgress = () => {
  let shown: { readonly step: string; readonly progress: Progress } | undefined;
  const end = (): void => {
    shown?.progress.end();
    shown = undefined;
  };
  const show: OnProgress = ({ step, done, total }) => {
    const [unit, size] = step === 'Reading' ? ['MB', bytesPerMb] : ['artists', 1];
    if (shown?.step !== step) {
      end();
      shown = { step, progress: startProgress(step, Math.floor(total / size), unit) };
    }
    shown.progress.show(Math.floor(done / size));
    if (done === total) end();
  };
  return { show, end };
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that ends in order after Ctrl-C, SIGTERM, or when its terminal is closed: the signal it gets is then aborted by an
 * `InterruptedError`. A second signal ends the process at once.
 */
export const interruptible = async <Result>(work: (interruption: AbortSignal) => Promise<Result>): Promise<Result> => {
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
    return await work(controller.signal);
  } finally {
    ignore();
  }
};

/** Runs work and shows its steps. After an interruption it stops when the next part of a step is done, and rejects with its error. */
export const withStepProgress = async <Result>(
  interruption: AbortSignal,
  work: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> => {
  const { show, end } = createStepProgress();
  try {
    return await work((progress) => {
      show(progress);
      const { reason } = interruption;
      if (reason instanceof InterruptedError && !(progress.step === 'Writing' && progress.done === progress.total)) {
        throw new InterruptedError(describeInterruption(progress), reason.signal);
      }
    });
  } finally {
    end();
  }
};
