import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Closes the resources of a test, whether or not it passed: an open handle would prevent the test
 * run from ending.
 */
export const createCleanup = () => {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    /** Registers how to close a thing, and returns the thing. */
    add<Thing>(thing: Thing, end: (thing: Thing) => Promise<unknown>): Thing {
      ends.push(() => end(thing));
      return thing;
    },
    /** Waits for a thing that starts, and stops it at the end. */
    async start<Thing extends { stop(): Promise<unknown> }>(
      starting: Thing | Promise<Thing>,
    ): Promise<Thing> {
      const thing = await starting;
      ends.push(() => thing.stop());
      return thing;
    },
    /** Makes a temporary folder, and removes it at the end. */
    async makeFolder(name: string): Promise<string> {
      const path = await mkdtemp(join(tmpdir(), `artist-gateway-${name}-`));
      ends.push(() => rm(path, { recursive: true, force: true }));
      return path;
    },
    /** Closes everything in reverse order. Rejects with the first failure after trying all. */
    async run() {
      const failures: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((failure: unknown) => failures.push(failure));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};

export type Cleanup = ReturnType<typeof createCleanup>;

/**
 * Closes what a suite registers after its last test, `after`, or after each of them, `afterEach`.
 */
export const useCleanup = (hook: Mocha.HookFunction): Cleanup => {
  const cleanup = createCleanup();
  hook(cleanup.run);
  return cleanup;
};

/**
 * A thing for the tests of a suite: started before them, stopped after them; with `isEach` before
 * and after each of them.
 */
export const useStarted = <Thing extends object>(
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<unknown>,
  isEach = false,
): Thing => {
  let started: Thing | undefined;
  const [begin, end] = isEach ? [beforeEach, afterEach] : [before, after];
  begin(async () => {
    started = await start();
  });
  end(() => started && stop(started));
  // Cast: every member is read from the thing that was started, which has them all.
  return new Proxy({} as Thing, { get: (_, member) => Reflect.get(started ?? {}, member) });
};
