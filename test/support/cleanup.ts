/** Ends what a test opened, whether or not it passed: what is left open would keep the test run from ending. */
export interface Cleanup {
  /** Remembers how a thing is ended, and hands it back. */
  add<Thing>(thing: Thing, end: (thing: Thing) => Promise<unknown>): Thing;
  /** Ends everything, what was opened last first. Rejects with the first failure, after all have had their turn. */
  run(): Promise<void>;
}

export const createCleanup = (): Cleanup => {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    add(thing, end) {
      ends.push(() => end(thing));
      return thing;
    },
    async run() {
      const failures: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((failure: unknown) => failures.push(failure));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};
