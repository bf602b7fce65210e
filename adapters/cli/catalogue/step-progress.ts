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
  let shown: { readonly step: string; readonly progress: Progress; readonly units: number } | undefined;
  const end = (): void => {
    shown?.progress.end();
    shown = undefined;
  };
  const show: OnProgress = ({ step, done, total }) => {
    const [unit, size] = step === 'Reading' ? ['MB', bytesPerMb] : ['artists', 1];
    const units = Math.floor(done / size);
    if (shown?.step !== step) {
      end();
      shown = { step, progress: startProgress(step, Math.floor(total / size), unit), units: 0 };
    }
    if (units > shown.units) shown.progress.advance(units - shown.units);
    shown = { ...shown, units };
    if (done === total) end();
  };
  return { show, end };
};

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work and shows its steps. After Ctrl-C, or SIGTERM, it stops when the next part of a step is done, and rejects with
 * an `InterruptedError`. A second signal ends the process at once.
 */
export const withStepProgress = async <Result>(work: (onProgress: OnProgress) => Promise<Result>): Promise<Result> => {
  const { show, end } = createStepProgress();
  let received: NodeJS.Signals | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    received = signal;
    for (const one of signals) process.removeListener(one, receive);
  };
  for (const signal of signals) process.on(signal, receive);
  try {
    return await work((progress) => {
      show(progress);
      if (received !== undefined && !(progress.step === 'Writing' && progress.done === progress.total)) {
        throw new InterruptedError(describeInterruption(progress), received);
      }
    });
  } finally {
    end();
    for (const signal of signals) process.removeListener(signal, receive);
  }
};
