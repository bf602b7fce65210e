import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration } from '../../../src/domain/quantities.ts';
import type { OnCase } from '../../compare/run.ts';
import type { WaitToRetry } from '../../compare/targets/client.ts';
import { cutText } from './draw-table.ts';
import { columnsOf } from './layout.ts';
import type { Output } from './table.ts';

/** Where progress is written, and a monotonic clock in milliseconds. */
interface ProgressOptions {
  readonly to?: Output;
  readonly now?: () => number;
}

/**
 * The time between two lines in milliseconds, on a terminal and in a pipe, which keeps them all.
 */
const [terminalPauseMs, pipePauseMs] = [1_000, 10_000];

/**
 * Starts to show how far long work is: a line when a step begins, then one in each pause; on a
 * terminal each over the last one.
 */
export const startProgress = ({
  to = process.stderr,
  now = () => performance.now(),
}: ProgressOptions = {}) => {
  const pauseMs = to.isTTY ? terminalPauseMs : pipePauseMs;
  let shown: { readonly step: string; readonly at: number } | undefined;
  return {
    show(step: string, text: string): void {
      if (shown?.step === step && now() - shown.at < pauseMs) return;
      shown = { step, at: now() };
      const line = `${step}: ${text}`;
      to.write(to.isTTY ? `\r\u001b[K${cutText(line, columnsOf(to) - 1)}` : `${line}\n`);
    },
    /** Makes room for what is written next. Must be called, also when the work failed. */
    end(): void {
      if (to.isTTY && shown !== undefined) to.write('\r\u001b[K');
    },
  };
};

/** Starts to show the progress of a comparison with this many cases. */
export const startCompareProgress = (cases: number, options?: ProgressOptions) => {
  const { show, end } = startProgress(options);
  let begun = 0;
  /** A case begins (`done` is 0), or was compared for that many artists of `rounds`. */
  const onCase: OnCase = ({ name }, done, rounds) => {
    if (done === 0) begun += 1;
    // The number of pages of a list is known only at its end.
    const doing = done === 0 || rounds <= 1 ? name : `${name}, ${done} of ${rounds} artists`;
    show('Comparing', `${begun} of ${Math.max(cases, begun)} cases: ${doing}`);
  };
  const waitToRetry: WaitToRetry = async (form, seconds) => {
    for (let left = seconds; left > 0; left--) {
      show('Waiting', `${formatDuration(left * 1000)} before the next request in the ${form} form`);
      await wait(1000);
    }
  };
  return { onCase, wait: waitToRetry, end };
};

export type CompareProgress = ReturnType<typeof startCompareProgress>;

/** Shows nothing: an embedded comparison takes seconds. */
export const silentProgress: CompareProgress = {
  onCase() {},
  wait: (_form, seconds) => wait(seconds * 1000),
  end() {},
};
