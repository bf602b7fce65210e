import { join } from 'node:path';
import type { Clock, Log, Source } from '../../../src/ports.ts';
import { withStoreTimeout } from '../../../src/runtime/store-calls.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type CopyRowsFile, readCopy, writeHeader, writeRows } from './copy-file.ts';
import type { CopyRows } from './copy-rows.ts';

export interface KeepOptions {
  /** The folder of the copies (`STATE_DIR`). */
  readonly folder: string;
  /** Names the contents and the files of the copy. */
  readonly unit: string;
  /** Names the source without a password. A copy of another source is not read. */
  readonly source: string;
  /** The system's clock: a copy outlives the process. */
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Timeout for reading, in milliseconds. By default 5 seconds: 50,000 artists from a disk with 50
   * MB/s.
   */
  readonly maxReadMs?: number;
}

/** A copy on the disk, as the metrics show it. */
export interface KeptCopy {
  /** Milliseconds since the source returned the contents on disk; `undefined` without a copy. */
  age(): number | undefined;
  /** Writes that failed. */
  failures(): number;
}

/** A source whose last contents are copied to disk. */
export interface KeptSource<Contents> extends Source<Contents> {
  readonly copy: KeptCopy;
  /** Writes pending changes. Never rejects. */
  close(): Promise<void>;
}

/** Names the database of a URL: its hosts and its name, without user, password and options. */
export const describeDatabase = (url: string): string =>
  url.replace(/^([^:]+:\/\/)(?:[^/]*@)?([^?]*).*$/, '$1$2');

/**
 * How far a copy's time may be ahead of the clock, in milliseconds: synchronised clocks differ by
 * less.
 */
const maxAheadMs = 5_000;
/** Pause after a failed write, in milliseconds. */
const retryMs = 60_000;

/** The path of a copy's files, without their extensions. */
export const copyPath = (folder: string, unit: string): string => join(folder, unit);

/** Loaded contents, and their time in epoch milliseconds. */
interface Loaded<Contents> {
  readonly contents: Contents;
  readonly answeredAt: number;
}

/** Creates the writer of a copy: in the background, one write at a time. Never rejects. */
const createWriter = <Contents>(copy: string, rows: CopyRows<Contents>, options: KeepOptions) => {
  const { unit, source, clock, log } = options;
  let latest: Loaded<Contents> | undefined;
  let written: (Loaded<Contents> & { readonly rows: CopyRowsFile }) | undefined;
  let done: Loaded<Contents> | undefined;
  let failures = 0;
  let failedAt: number | undefined;
  let running: Promise<void> | undefined;

  const writeLatest = async (): Promise<void> => {
    while (latest !== undefined && latest !== done) {
      const loaded = latest;
      const { contents, answeredAt } = loaded;
      try {
        // A source without changes returns the same contents.
        const same = contents === written?.contents ? written.rows : undefined;
        const own = same ?? (await writeRows(copy, rows.write(contents)));
        const isThere = await writeHeader(copy, { unit, source, answeredAt, ...own });
        written = isThere ? { contents, answeredAt, rows: own } : undefined; // else written again
      } catch (failure) {
        failures += 1;
        if (failedAt === undefined)
          log.warn({ copy, reason: describeFailure(failure) }, 'copy not written (retrying)');
        failedAt = clock.elapsed();
        return;
      }
      if (written !== undefined) done = loaded;
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
    write(loaded: Loaded<Contents>): void {
      latest = loaded;
      if (failedAt === undefined || clock.elapsed() - failedAt >= retryMs) void run();
    },
    /**
     * When the source returned the contents on disk; `undefined` if this process did not write
     * them.
     */
    answeredAt: () => written?.answeredAt,
    failures: () => failures,
    close: run,
  };
};

/**
 * Copies loaded contents to files, which the next process serves until its first load (decisions,
 * "Freshness and caching"). The copy has the time of the load, so it goes stale like the memory of
 * a running gateway. Writing never fails or delays a load.
 *
 * @param open opens the source; called only by loads, so that a copy is served without the source
 */
export const keepCopy = <Contents extends object>(
  open: () => Promise<Source<Contents>>,
  rows: CopyRows<Contents>,
  options: KeepOptions,
): KeptSource<Contents> => {
  const { folder, unit, source, clock, log, maxReadMs = 5_000 } = options;
  const copy = copyPath(folder, unit);
  const writer = createWriter(copy, rows, options);
  let readAt: number | undefined;
  let isReading = false; // even after its timeout
  let begun = 0;
  let handed = 0;

  const read = async (): ReturnType<NonNullable<Source<Contents>['recall']>> => {
    isReading = true;
    const reading = readCopy(copy).finally(() => {
      isReading = false;
    });
    const tooLong = `it was not read within ${maxReadMs} ms: its disk does not answer`;
    const found = await withStoreTimeout(reading, maxReadMs, tooLong);
    if (found === undefined) return undefined;
    const { header } = found;
    for (const part of [header.unit, header.source])
      if (part !== unit && part !== source) throw new Error(`it is a copy of ${part}`);
    const age = clock.now() - header.answeredAt;
    if (age < -maxAheadMs) throw new Error(`it is ${-age} ms ahead of the clock`);
    const contents = await rows.read(found.rows());
    readAt = header.answeredAt;
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
      const contents = await load();
      // An abandoned load that ends late must not replace a later load.
      if (turn < handed) return contents;
      handed = turn;
      // Each call to a stuck disk blocks one of the four threads that also compress and resolve
      // names.
      if (!isReading) writer.write({ contents, answeredAt });
      return contents;
    },
    copy: {
      age() {
        const answeredAt = writer.answeredAt() ?? readAt;
        return answeredAt === undefined ? undefined : clock.now() - answeredAt;
      },
      failures: writer.failures,
    },
    close: writer.close,
  };
};
