import { setImmediate } from 'node:timers/promises';

/** Work that is done step by step, so that others may have their turn between two steps. */
export type YieldingWork<Value> = Generator<void, Value>;

/** Items that are looked at in one step: a fraction of a millisecond of simple work. */
const itemsAtOnce = 500;

/** Looks at every item, so many in a step. */
export function* forEachYielding<Item>(items: Iterable<Item>, visit: (item: Item) => void): YieldingWork<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count += 1;
    if (count % itemsAtOnce === 0) yield;
  }
}

/** Does all steps; requests and whatever else is waiting have their turn between any two. */
export const runYielding = async <Value>(steps: YieldingWork<Value>): Promise<Value> => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
};

/**
 * Does some work with every item, so many at the same time at most: for work that mostly waits. Rejects with the first
 * failure; then nothing more is begun.
 */
export const forEachConcurrent = async <Item>(
  items: Iterable<Item>,
  abreast: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const rest = items[Symbol.iterator](); // one for all lanes: who is done takes what comes next
  let failed = false;
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && !failed; next = rest.next()) {
      await work(next.value).catch((cause: unknown) => {
        failed = true;
        throw cause;
      });
    }
  };
  await Promise.all(Array.from({ length: abreast }, lane));
};
