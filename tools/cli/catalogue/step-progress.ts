import type { ImportProgress, OnProgress } from '../../import/check-input.ts';
import { catchSignals } from '../terminal/hold-signals.ts';
import { note } from '../terminal/messages.ts';
import { startProgress } from '../terminal/progress.ts';

class InterruptedError extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals, { step, done, total }: Partial<ImportProgress> = {}) {
    const written = `${done} of ${total} artists are written. Run the same command again: it writes the rest.`;
    super(`Interrupted: ${step === 'Writing' ? written : 'nothing was written.'}`);
    this.name = 'InterruptedError';
    this.signal = signal;
  }
}

const bytesPerMb = 2 ** 20;

export interface StepRun {
  /**
   * Shows a step: `Reading` in megabytes, the others in artists. Throws after an interruption,
   * between two parts of a step.
   */
  readonly onProgress: OnProgress;
  readonly interruption: AbortSignal;
}

/**
 * Runs work and shows its steps. After Ctrl-C, SIGTERM, or when its terminal is closed, the work
 * ends in order, and then the process, by the same signal. After a failure it says how much may be
 * written.
 */
export const runInSteps = async (work: (run: StepRun) => Promise<void>): Promise<void> => {
  const controller = new AbortController();
  const shown = startProgress();
  let last: ImportProgress | undefined;
  const onProgress: OnProgress = (progress) => {
    last = progress;
    const { step, done, total } = progress;
    const [unit, size] = step === 'Reading' ? ['MB', bytesPerMb] : ['artists', 1];
    if (done >= size)
      shown.show(step, `${Math.floor(done / size)} of ${Math.floor(total / size)} ${unit}`);
    if (done === total) shown.end();
    const { reason } = controller.signal;
    if (reason instanceof InterruptedError && !(step === 'Writing' && done === total)) {
      throw new InterruptedError(reason.signal, progress);
    }
  };
  const release = catchSignals((signal) => {
    if (controller.signal.aborted) return;
    shown.end();
    note('Interrupted: ending what has begun.');
    controller.abort(new InterruptedError(signal));
  });
  try {
    await work({ onProgress, interruption: controller.signal }).finally(release);
  } catch (error) {
    shown.end();
    if (!(error instanceof InterruptedError)) {
      if (last?.step === 'Writing')
        note(
          `Part of it may be written: at least ${last.done} of ${last.total} artists. Run the same command again: it writes the rest.`,
        );
      throw error;
    }
    note(error.message);
    // a shell ends a loop only when its command died of the signal
    process.kill(process.pid, error.signal);
  }
};
