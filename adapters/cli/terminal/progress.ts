import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../../../src/domain/quantities.ts';
import type { OnCase } from '../../compare/run.ts';
import type { WaitForQuota } from '../../compare/targets/client.ts';
import { cutText } from '../../text/table.ts';
import { columnsOf } from './layout.ts';
import type { Output } from './table.ts';

/** Where progress is written, and a monotonic clock in milliseconds. */
interface ProgressOptions {
  readonly to?: Output;
  readonly now?: () => number;
}

/** The time between two lines in milliseconds, on a terminal and in a pipe, which keeps them all. */
const [terminalPauseMs, pipePauseMs] = [1_000, 10_000];

/** Writes how far work is: a line in each pause after `writtenAt`, on a terminal each over the last one. */
const createLines = ({ to, now }: Required<ProgressOptions>, writtenAt: number) => {
  const pauseMs = to.isTTY ? terminalPauseMs : pipePauseMs;
  let isShown = false;
  return {
    write(line: string): void {
      if (now() - writtenAt < pauseMs) return;
      writtenAt = now();
      isShown = true;
      to.write(to.isTTY ? `\r\u001b[K${cutText(line, columnsOf(to) - 1)}` : `${line}\n`);
    },
    /** Makes room for what is written next. */
    end(): void {
      if (to.isTTY && isShown) to.write('\r\u001b[K');
    },
  };
};

/** Progress of long work on standard error. */
export interface Progress {
  /** Units that are done, of the total. */
  show(done: number): void;
  /** Must be called, also when the work failed. */
  end(): void;
}

const elapsed = () => performance.now();

/** Starts to show the progress of work: its name, the number of units, and their name. The first line comes at once. */
export const startProgress = (
  what: string,
  total: number,
  unit: string,
  { to = process.stderr, now = elapsed }: ProgressOptions = {},
): Progress => {
  const { write, end } = createLines({ to, now }, Number.NEGATIVE_INFINITY);
  return { show: (done) => done > 0 && write(`${what}: ${done} of ${total} ${unit}`), end };
};

/** Progress of a comparison, and its waits for a quota. */
export interface CompareProgress {
  /** A case begins (`done` is 0), or was compared for that many artists of `rounds`. */
  readonly onCase: OnCase;
  readonly wait: WaitForQuota;
  /** Says how long it took, if that was long. Must be called, also when the comparison failed. */
  end(): void;
}

/** Shows nothing: an embedded comparison takes seconds. */
export const silentProgress: CompareProgress = {
  onCase() {},
  wait: (_form, seconds) => sleep(seconds * 1000),
  end() {},
};

/** Shorter comparisons do not say how long they took. */
const minToldMs = 10_000;

/** Starts to show the progress of a comparison with this many cases. */
export const startCompareProgress = (
  cases: number,
  { to = process.stderr, now = elapsed }: ProgressOptions = {},
): CompareProgress => {
  const begunAt = now();
  const lines = createLines({ to, now }, begunAt);
  let begun = 0;
  return {
    onCase({ name }, done, rounds) {
      if (done === 0) begun += 1;
      // The number of pages of a list is known only at its end.
      const doing = done === 0 || rounds <= 1 ? name : `${name}, ${done} of ${rounds} artists`;
      lines.write(`${begun} of ${Math.max(cases, begun)} cases: ${doing}`);
    },
    async wait(form, seconds) {
      for (let left = seconds; left > 0; left--) {
        lines.write(`Waiting ${formatDuration(left * 1000)} for the quota of the ${form} form.`);
        await sleep(1000);
      }
    },
    end() {
      lines.end();
      if (now() - begunAt >= minToldMs) to.write(`Compared in ${formatDuration(now() - begunAt)}.\n`);
    },
  };
};
