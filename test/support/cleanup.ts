/** Closes the resources of a test, whether or not it passed: an open handle would prevent the test run from ending. */
export interface Cleanup {
  /** Registers how to close a thing, and returns the thing. */
  add<Thing>(thing: Thing, end: (thing: Thing) => Promise<unknown>): Thing;
  /** Closes everything in reverse order. Rejects with the first failure after trying all. */
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
