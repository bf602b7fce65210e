import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Log, Source } from '../../../src/ports.ts';
import { runYielding, type YieldingWork } from '../../../src/runtime/cooperative.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type Copy, readCopy, readOwn, UnusableCopy } from './copy-file.ts';
import { type CopyFiles, createCopyWriter } from './copy-writer.ts';

/** A source that can go on from what it knew in an earlier process. */
export interface ResumableSource<Contents, State> {
  /** Loads the contents; returns the same object when nothing changed. Rejects when they cannot be read. */
  load(): Promise<Contents>;
  /** What the source knows after the last load that succeeded. Later loads do not change the returned object. */
  state(): State;
  /** Goes on from a state and its contents, as if this source had loaded them. */
  resume(state: State, contents: Contents): void;
}

/** How the state of a source is written in rows of a copy, and read again. */
export interface CopyCodec<Contents, State> {
  /** What the copy holds; also the name of its file. */
  readonly unit: string;
  readonly encode: (state: State) => Iterable<string>;
  readonly decode: (rows: Iterable<string>) => YieldingWork<State>;
  /** The contents that a load with this state returned. */
  readonly contentsOf: (state: State) => Promise<Contents>;
  /** Decodes what `decode` put off. */
  readonly complete?: (state: State) => YieldingWork<void>;
}

export interface KeepOptions {
  /** The folder of the copies (`STATE_DIR`). */
  readonly folder: string;
  /** Names the source without a password. A copy of another source is not read. */
  readonly source: string;
  /** The gateway's version. A copy of another version is served, but everything is read again. */
  readonly program: string;
  /** The system's clock: a copy outlives the process. */
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds between writes; by default a minute. */
  readonly intervalMs?: number;
  /** Milliseconds between copies, where they may follow each other sooner than stamps. */
  readonly copyIntervalMs?: number;
  /** Milliseconds that reading one file may take; by default 5 seconds. */
  readonly maxReadMs?: number;
  /** Reads the bytes of a file; by default from the disk. */
  readonly readBytes?: (path: string) => Promise<Buffer>;
}

/** A copy on the disk, as the metrics show it. */
export interface KeptCopy {
  /** Milliseconds since the source gave the answer that is on the disk; `undefined` without a copy. */
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
export const describeDatabase = (url: string): string => url.replace(/^([^:]+:\/\/)(?:[^/]*@)?([^?]*).*$/, '$1$2');

const defaultIntervalMs = 60_000;

/** A copy of 50,000 artists, read from a disk with 50 MB a second. */
const defaultMaxReadMs = 5_000;

/** How far ahead of the clock a copy may be: clocks that are synchronised differ by less. */
const maxAheadMs = 5_000;

const filesOf = (folder: string, unit: string): CopyFiles => ({
  copy: join(folder, `${unit}.copy`),
  stamp: join(folder, `${unit}.stamp`),
});

/** The instant of a copy's stamp. Without one, or with that of another copy, the copy counts from its own, earlier instant. */
const answeredAtOf = ({ header, checksum }: Copy, stamp: Copy | undefined): number =>
  (stamp?.header.of === checksum ? stamp.header : header).answeredAt;

/**
 * When the source gave the answer that is on the disk, epoch milliseconds; `undefined` without a copy. Rejects with the reason
 * when a copy of this user (by its number) cannot be used.
 */
export const readAnsweredAt = async (folder: string, unit: string, owner: number): Promise<number | undefined> => {
  const files = filesOf(folder, unit);
  const readOwned = (path: string) => readOwn(path, owner);
  const copy = await readCopy(files.copy, readOwned);
  return copy && answeredAtOf(copy, await readCopy(files.stamp, readOwned));
};

/** Settles as a read does, or rejects when it takes longer: a disk that stands still keeps a read waiting for ever. */
const inTime = <Value>(reading: Promise<Value>, maxMs: number): Promise<Value> => {
  const tooLong = wait(maxMs, undefined, { ref: false }).then(() => {
    throw new UnusableCopy(`it was not read within ${maxMs} ms: its disk does not answer`);
  });
  return Promise.race([reading, tooLong]);
};

const expectOwn = ({ header }: Copy, unit: string, source: string): void => {
  if (header.unit !== unit) throw new UnusableCopy(`it is a copy of ${header.unit}`);
  if (header.source !== source) throw new UnusableCopy(`it is a copy of ${header.source}`);
};

/**
 * Keeps a copy of what a source answers on the disk, and returns it to the next process (decisions, "Freshness and caching").
 * The copy says when the source answered, so that it goes stale like the memory of a running gateway. Writing never fails or
 * delays a load.
 *
 * @param open opens the source. Called by each load, and by nothing else: a copy is served without the source.
 */
export const keepCopy = <Contents extends object, State>(
  open: () => Promise<ResumableSource<Contents, State>>,
  { unit, encode, decode, contentsOf, complete }: CopyCodec<Contents, State>,
  options: KeepOptions,
): KeptSource<Contents> => {
  const { folder, source: name, program, clock, log, readBytes } = options;
  const { intervalMs = defaultIntervalMs, maxReadMs = defaultMaxReadMs } = options;
  const files = filesOf(folder, unit);
  const header = { unit, source: name, program };
  const writer = createCopyWriter({ copyIntervalMs: intervalMs, ...options, files, header, encode, intervalMs });
  /** Until the first load. */
  let recalled: { readonly state: State; readonly contents: Contents; readonly isSameProgram: boolean } | undefined;

  let underWay = 0; // reads, also those that have timed out

  const readInTime = (path: string): Promise<Copy | undefined> => {
    underWay += 1;
    const reading = readCopy(path, readBytes).finally(() => {
      underWay -= 1;
    });
    return inTime(reading, maxReadMs);
  };

  const ignore = (copy: string, failure: unknown): undefined =>
    void log.warn({ copy, reason: describeFailure(failure) }, 'copy ignored');

  const read = async (): ReturnType<NonNullable<Source<Contents>['recall']>> => {
    const copy = await readInTime(files.copy);
    if (copy === undefined) return undefined;
    expectOwn(copy, unit, name);
    const stamp = await readInTime(files.stamp).catch((failure: unknown) => ignore(files.stamp, failure));
    const answeredAt = answeredAtOf(copy, stamp);
    const age = clock.now() - answeredAt;
    if (age < -maxAheadMs) throw new UnusableCopy(`it is ${-age} ms ahead of the clock`);
    const state = await runYielding(decode(copy.rows()));
    const contents = await contentsOf(state);
    const isSameProgram = copy.header.program === program;
    recalled = { state, contents, isSameProgram };
    writer.begin({ contents: isSameProgram ? contents : undefined, checksum: copy.checksum, answeredAt });
    log.info({ copy: files.copy, ageMs: Math.max(0, age) }, 'copy loaded');
    return { contents, age: Math.max(0, age) };
  };

  return {
    recall: () => read().catch((failure: unknown) => ignore(files.copy, failure)),

    async load() {
      const source = await open();
      if (recalled !== undefined) {
        const { state, contents, isSameProgram } = recalled;
        recalled = undefined;
        if (isSameProgram) source.resume(state, contents);
        if (complete !== undefined) await runYielding(complete(state));
      }
      const answeredAt = clock.now();
      const contents = await source.load();
      // Each call to a disk that stands still keeps one of the four threads that also compress and look up names.
      if (underWay === 0) writer.note({ answeredAt, contents, state: source.state() });
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
