import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ShadowFailure } from '../../../src/domain/shadow.ts';
import type { ShadowJob } from './job.ts';
import type { Judgement } from './judge.ts';

/** Judges jobs in a worker thread, one at a time. */
export interface JudgeThread {
  /** Starts the thread before the first job: loading its program takes half a second of processor time. */
  start(): void;
  /** Rejects with a `JudgeFailure` when the thread throws, ends or takes too long. The next job starts another one. */
  judge(job: ShadowJob): Promise<Judgement>;
  close(): Promise<void>;
}

/** Why a job was not judged. */
export class JudgeFailure extends Error {
  readonly reason: ShadowFailure;

  constructor(reason: ShadowFailure, options?: ErrorOptions) {
    super(`The worker thread ${reason === 'too slow' ? 'took too long' : reason}.`, options);
    this.name = 'JudgeFailure';
    this.reason = reason;
  }
}

interface JudgeThreadOptions {
  /** The worker's program, unless a test replaces it. */
  readonly program?: URL;
  /** Milliseconds after which a thread that does not answer is ended. */
  readonly maxMs?: number;
}

/** Long, because the thread runs with the lowest priority: on a busy machine a page of 200 may take tens of seconds. */
const defaultMaxMs = 60_000;

/** The worker's program. Run from source, it begins with the loader of TypeScript, which a worker thread does not inherit. */
const programOf = (): URL => {
  if (import.meta.url.endsWith('.js')) return new URL('./worker.js', import.meta.url);
  const [loader, worker] = [import.meta.resolve('tsx/esm/api'), new URL('./worker.ts', import.meta.url)];
  const text = `import { register } from '${loader}'; register(); await import('${worker}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
};

/** In megabytes: a page of 200 with both texts and its artists takes tens. */
const maxHeapMb = 256;

/** Creates a judge; the thread starts with the first job at the latest and never keeps the process alive. */
export const createJudgeThread = (options: JudgeThreadOptions = {}): JudgeThread => {
  const { program = programOf(), maxMs = defaultMaxMs } = options;
  let worker: Worker | undefined;

  const end = (): Promise<unknown> => {
    const ended = worker;
    worker = undefined;
    return ended?.terminate() ?? Promise.resolve();
  };

  const start = (): Worker => {
    const started = new Worker(program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    started.unref();
    started.on('error', () => {}); // between two jobs it has no other listener; `exit` follows
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  return {
    start() {
      worker ??= start();
    },
    async judge(job) {
      worker ??= start();
      const thread = worker;
      const settled = new AbortController();
      const { signal } = settled;
      const fail = (reason: ShadowFailure) => () => {
        throw new JudgeFailure(reason);
      };
      const sent = Object.values(job.texts).filter((text) => typeof text !== 'string');
      thread.postMessage(
        job,
        sent.map(({ buffer }) => buffer),
      );
      try {
        return await Promise.race([
          once(thread, 'message', { signal }).then(([judgement]): Judgement => judgement), // rejects on `error`
          once(thread, 'exit', { signal }).then(fail('ended')),
          wait(maxMs, undefined, { signal, ref: false }).then(fail('too slow')),
        ]);
      } catch (cause) {
        void end();
        throw cause instanceof JudgeFailure ? cause : new JudgeFailure('threw', { cause });
      } finally {
        settled.abort();
      }
    },
    close: async () => void (await end()),
  };
};
