import type { Clock, Log } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';

/** What a source answered. The contents are the same object as long as it had nothing new. */
export interface Answer<Contents> {
  readonly contents: Contents;
  /** Epoch milliseconds. */
  readonly answeredAt: number;
}

interface CopyWriterOptions<Contents> {
  /** The copy's path, for the log. */
  readonly copy: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds from one write to the next. */
  readonly intervalMs: number;
  /** Whether new contents do not wait for the interval. */
  readonly isUrgent: boolean;
  /** Writes an answer; `isSame`: the copy has its contents. */
  readonly write: (answer: Answer<Contents>, isSame: boolean) => Promise<void>;
}

/** Creates a writer of one copy: one write at a time, in the background, the latest answer first. Nothing of it rejects. */
export const createCopyWriter = <Contents>(options: CopyWriterOptions<Contents>) => {
  const { copy, clock, log, intervalMs, isUrgent, write } = options;
  let latest: Answer<Contents> | undefined;
  let written: Partial<Answer<Contents>> = {};
  let failures = 0;
  let isFailing = false;
  let begunAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  const writeAnswer = async (answer: Answer<Contents>): Promise<void> => {
    begunAt = clock.elapsed();
    try {
      await write(answer, answer.contents === written.contents);
      written = answer;
      if (isFailing) log.info({ copy }, 'copy written again');
      isFailing = false;
    } catch (failure) {
      failures += 1;
      if (!isFailing) log.warn({ copy, reason: describeFailure(failure) }, 'copy not written (retrying)');
      isFailing = true;
    }
  };

  const writeLatest = async (): Promise<void> => {
    await running;
    if (latest === undefined || latest === written) return;
    running = writeAnswer(latest).finally(() => {
      running = undefined;
    });
    await running;
  };

  const writeWhenDue = (): void => {
    if (running !== undefined || latest === undefined || latest === written) return;
    const mayWait = !isUrgent || isFailing || latest.contents === written.contents;
    if (!mayWait || clock.elapsed() - begunAt >= intervalMs) void writeLatest().then(writeWhenDue);
  };

  return {
    /** Goes on from a copy that was read; without contents the next answer replaces it. */
    continueFrom(copy: Partial<Answer<Contents>>): void {
      written = copy;
      begunAt = clock.elapsed();
    },
    setLatest(answer: Answer<Contents>): void {
      latest = answer;
    },
    writeWhenDue,
    /** When the source gave the answer that is on the disk; `undefined` without a copy. */
    answeredAt: () => written.answeredAt,
    failures: () => failures,
    /** Writes what is not written yet. */
    close: writeLatest,
  };
};
