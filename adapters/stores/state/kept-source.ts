import { join } from 'node:path';
import type { Clock, Log, Source } from '../../../src/ports.ts';
import { withStoreTimeout } from '../../../src/runtime/store-calls.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { readCopy, readOwn, touchCopy, writeCopy } from './copy-file.ts';
import type { CopyRows } from './copy-rows.ts';

/** What an earlier process loaded. */
export interface Former<Contents> {
  readonly contents: Contents;
  /**
   * Whether it was a process of this version. What another one read may be read otherwise now: of
   * that a source only takes over that there was something.
   */
  readonly isOfThisVersion: boolean;
}

/** A source that can go on from what an earlier process loaded. */
export interface ContinuedSource<Contents> {
  /**
   * Loads the contents; returns the same object when nothing changed. Rejects when they cannot be
   * read, or were lost: a collection is empty that had documents before, and there is no last good
   * copy of it.
   *
   * @param former the last good documents of the first load
   */
  load(former?: Former<Contents>): Promise<Contents>;
}

export interface KeepOptions {
  /** The folder of the copies (`STATE_DIR`). */
  readonly folder: string;
  /** What the copy holds; also the name of its file. */
  readonly unit: string;
  /** Names the source without a password. A copy of another source is not read. */
  readonly source: string;
  /**
   * The gateway's version. A copy of another version is served until the source has loaded, but no
   * document is taken over from it.
   */
  readonly program: string;
  /** The system's clock: a copy outlives the process. */
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Milliseconds that reading the file may take; by default 5 seconds: 50,000 artists from a disk
   * with 50 MB a second.
   */
  readonly maxReadMs?: number;
  /** Reads the bytes of a file; by default from the disk. */
  readonly readBytes?: (path: string) => Promise<Buffer>;
}

/** A copy on the disk, as the metrics show it. */
export interface KeptCopy {
  /**
   * Milliseconds since the source gave the answer that is on the disk; `undefined` without a copy.
   */
  age(): number | undefined;
  /** Writes that failed. */
  failures(): number;
}

/** A source that begins with its last good copy. */
export interface KeptSource<Contents> extends Source<Contents> {
  readonly copy: KeptCopy;
  /** Writes what is not written yet. Never rejects. */
  close(): Promise<void>;
}

/** Names the database of a URL: its hosts and its name, without user, password and options. */
export const describeDatabase = (url: string): string =>
  url.replace(/^([^:]+:\/\/)(?:[^/]*@)?([^?]*).*$/, '$1$2');

/** How far ahead of the clock a copy may be: clocks that are synchronised differ by less. */
const maxAheadMs = 5_000;

/** Milliseconds without a write after one that failed. */
const retryMs = 60_000;

const pathOf = (folder: string, unit: string): string => join(folder, `${unit}.copy`);

/**
 * When the source gave the answer that is on the disk, epoch milliseconds; `undefined` without a
 * copy. Rejects with the reason when a copy of this user (by its number) cannot be used.
 */
export const readAnsweredAt = async (
  folder: string,
  unit: string,
  owner: number,
): Promise<number | undefined> =>
  (await readCopy(pathOf(folder, unit), (path) => readOwn(path, owner)))?.answeredAt;

/** What a source answered, and when in epoch milliseconds. */
interface Answer<Contents> {
  readonly contents: Contents;
  readonly answeredAt: number;
}

/** Creates the writer of a copy: in the background, one write at a time. Nothing of it rejects. */
const createWriter = <Contents>(copy: string, rows: CopyRows<Contents>, options: KeepOptions) => {
  const { unit, source, program, clock, log } = options;
  let latest: Answer<Contents> | undefined;
  let written: Answer<Contents> | undefined;
  let failures = 0;
  let failedAt: number | undefined;
  let running: Promise<void> | undefined;

  /** A source that has nothing new returns the same contents: then only the instant is written. */
  const write = async ({ contents, answeredAt }: Answer<Contents>): Promise<void> => {
    const isTouched = contents === written?.contents && (await touchCopy(copy, answeredAt));
    if (!isTouched)
      await writeCopy(copy, { unit, source, program }, answeredAt, rows.write(contents));
  };

  const writeLatest = async (): Promise<void> => {
    while (latest !== undefined && latest !== written) {
      const answer = latest;
      try {
        await write(answer);
      } catch (failure) {
        failures += 1;
        if (failedAt === undefined)
          log.warn({ copy, reason: describeFailure(failure) }, 'copy not written (retrying)');
        failedAt = clock.elapsed();
        return;
      }
      written = answer;
      if (failedAt !== undefined) log.info({ copy }, 'copy written again');
      failedAt = undefined;
    }
  };

  const run = (): Promise<void> => {
    running ??= writeLatest().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    /** Goes on from a copy that was read. */
    continueFrom(found: Answer<Contents>): void {
      written = found;
    },
    write(answer: Answer<Contents>): void {
      latest = answer;
      if (failedAt === undefined || clock.elapsed() - failedAt >= retryMs) void run();
    },
    /** When the source gave the answer that is on the disk; `undefined` without a copy. */
    answeredAt: () => written?.answeredAt,
    failures: () => failures,
    close: run,
  };
};

/**
 * Keeps what a source loaded in a file, and returns it to the next process (decisions, "Freshness
 * and caching"). The copy says when the source answered, so that it goes stale like the memory of a
 * running gateway. Writing never fails or delays a load.
 *
 * @param open opens the source. Called by each load, and by nothing else: a copy is served without
 * the source.
 */
export const keepCopy = <Contents extends object>(
  open: () => Promise<ContinuedSource<Contents>>,
  rows: CopyRows<Contents>,
  options: KeepOptions,
): KeptSource<Contents> => {
  const { folder, unit, source, program, clock, log, maxReadMs = 5_000 } = options;
  const copy = pathOf(folder, unit);
  const writer = createWriter(copy, rows, options);
  let former: Former<Contents> | undefined;
  let isReading = false; // also when it took too long
  /** How many loads have begun, and the last of them whose contents were handed to the writer. */
  let [begun, handed] = [0, 0];

  const read = async (): ReturnType<NonNullable<Source<Contents>['recall']>> => {
    isReading = true;
    const reading = readCopy(copy, options.readBytes).finally(() => {
      isReading = false;
    });
    const tooLong = `it was not read within ${maxReadMs} ms: its disk does not answer`;
    const found = await withStoreTimeout(reading, maxReadMs, tooLong);
    if (found === undefined) return undefined;
    const { header, answeredAt } = found;
    if (header.unit !== unit) throw new Error(`it is a copy of ${header.unit}`);
    if (header.source !== source) throw new Error(`it is a copy of ${header.source}`);
    const age = clock.now() - answeredAt;
    if (age < -maxAheadMs) throw new Error(`it is ${-age} ms ahead of the clock`);
    const contents = await rows.read(found.rows());
    former = { contents, isOfThisVersion: header.program === program };
    writer.continueFrom({ contents, answeredAt });
    log.info({ copy, ageMs: Math.max(0, age) }, 'copy loaded');
    return { contents, age: Math.max(0, age) };
  };

  return {
    recall: () =>
      read().catch(
        (failure: unknown) =>
          void log.warn({ copy, reason: describeFailure(failure) }, 'copy ignored'),
      ),

    async load() {
      const { load } = await open();
      begun += 1;
      const turn = begun;
      const answeredAt = clock.now();
      const contents = await load(former);
      former = undefined;
      // one that was given up and ends late must not replace what a later one has read
      if (turn < handed) return contents;
      handed = turn;
      // Each call to a disk that stands still keeps one of the four threads that also compress and
      // look up names.
      if (!isReading) writer.write({ contents, answeredAt });
      return contents;
    },

    copy: {
      age() {
        const answeredAt = writer.answeredAt();
        return answeredAt === undefined ? undefined : clock.now() - answeredAt;
      },
      failures: writer.failures,
    },
    close: writer.close,
  };
};
