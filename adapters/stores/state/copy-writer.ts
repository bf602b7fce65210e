import type { Clock, Log } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type CopyHeader, writeCopy } from './copy-file.ts';

/** The files of one copy. */
export interface CopyFiles {
  /** What the source answered. */
  readonly copy: string;
  /** When the source last answered the same: a small file that names the copy by its checksum. */
  readonly stamp: string;
}

/** An answer of the source. */
interface Answer<State> {
  /** When the source answered, epoch milliseconds. */
  readonly answeredAt: number;
  /** The same object as long as the source had nothing new. */
  readonly contents: object;
  readonly state: State;
}

/** A copy that is on the disk. */
interface WrittenCopy {
  readonly contents: object | undefined;
  readonly checksum: string;
  readonly answeredAt: number;
}

interface CopyWriterOptions<State> {
  readonly files: CopyFiles;
  readonly header: Omit<CopyHeader, 'answeredAt' | 'of'>;
  readonly encode: (state: State) => Iterable<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds from one file, of either kind, to the next stamp. */
  readonly intervalMs: number;
  /** Milliseconds from one copy to the next. */
  readonly copyIntervalMs: number;
}

/** Creates a writer, which keeps the copy on the disk up to date. It writes nothing before the first answer. */
export const createCopyWriter = <State>(options: CopyWriterOptions<State>) => {
  const { files, header, encode, clock, log, intervalMs, copyIntervalMs } = options;
  let noted: Answer<State> | undefined;
  let written: WrittenCopy | undefined;
  let failures = 0;
  let isFailing = false;
  let isClosed = false;
  /** When the last copy, and the last file of either kind, was begun. */
  const begun = { copy: Number.NEGATIVE_INFINITY, any: Number.NEGATIVE_INFINITY };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  /**
   * Writes a copy of a new answer, or a stamp when the source answered what the copy has. A stamp holds for the copy that it
   * names alone: after a crash between the two the new copy counts from its own instant, and a former copy is never fresher
   * than the source's last answer with its contents.
   */
  const write = async ({ answeredAt, contents, state }: Answer<State>): Promise<void> => {
    begun.any = clock.elapsed();
    if (written?.contents === contents) {
      await writeCopy(files.stamp, { ...header, answeredAt, of: written.checksum }, []);
      written = { ...written, answeredAt };
      return;
    }
    begun.copy = begun.any;
    const checksum = await writeCopy(files.copy, { ...header, answeredAt }, encode(state));
    written = { contents, checksum, answeredAt };
  };

  const tryToWrite = async (answer: Answer<State>): Promise<void> => {
    try {
      await write(answer);
      if (isFailing) log.info({ copy: files.copy }, 'copy written again');
      isFailing = false;
    } catch (failure) {
      failures += 1;
      if (!isFailing) log.warn({ copy: files.copy, reason: describeFailure(failure) }, 'copy not written (retrying)');
      isFailing = true;
    }
  };

  const isWritten = (): boolean =>
    noted === undefined || (noted.contents === written?.contents && noted.answeredAt === written.answeredAt);

  const dueIn = (): number => {
    if (noted?.contents === written?.contents) return begun.any + intervalMs - clock.elapsed();
    return begun.copy + (isFailing ? intervalMs : copyIntervalMs) - clock.elapsed();
  };

  const writeNoted = (): Promise<void> => {
    clearTimeout(timer);
    running ??= (noted === undefined ? Promise.resolve() : tryToWrite(noted)).finally(() => {
      running = undefined;
    });
    return running;
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (isClosed || running !== undefined || isWritten()) return;
    timer = setTimeout(() => void writeNoted().then(schedule), Math.max(0, dueIn()));
    timer.unref();
  };

  return {
    /** Goes on from a copy that was read. */
    begin(copy: WrittenCopy): void {
      written = copy;
      begun.any = clock.elapsed();
    },
    /** Notes an answer, to be written in the background. Never throws. */
    note(answer: Answer<State>): void {
      noted = answer;
      schedule();
    },
    answeredAt: () => written?.answeredAt,
    failures: () => failures,
    /** Writes what is not written yet. Never rejects. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
      if (!isWritten()) await writeNoted();
    },
  };
};
