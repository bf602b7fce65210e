import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work in short steps: the event loop serves requests whenever it yields. */
export type YieldingWork<Value> = Generator<void, Value>;

/** A fraction of a millisecond of simple work. */
const itemsPerStep = 500;

/** Visits every item and yields after each step. */
export function* forEachYielding<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
  perStep = itemsPerStep,
): YieldingWork<void> {
  let index = 0;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (index % perStep === 0) yield;
  }
}

/** Merges two sorted lists; of equal items those of the first come first. */
function* mergeSorted<Item>(
  items: readonly Item[],
  others: readonly Item[],
  compare: (left: Item, right: Item) => number,
): YieldingWork<Item[]> {
  const merged: Item[] = [];
  let next = 0;
  yield* forEachYielding(items, (item) => {
    for (
      let other = others[next];
      other !== undefined && compare(other, item) < 0;
      other = others[++next]
    )
      merged.push(other);
    merged.push(item);
  });
  for (const other of others.slice(next)) merged.push(other);
  return merged;
}

/** One or two milliseconds, with a comparison of texts. */
const itemsPerSort = 2_000;

/**
 * Sorts 2,000 items in a step, then merges neighbours in further steps. The order of equal items is
 * kept.
 */
export function* sortYielding<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): YieldingWork<Item[]> {
  let parts: Item[][] = [];
  for (let start = 0; start < items.length; start += itemsPerSort) {
    parts.push(items.slice(start, start + itemsPerSort).sort(compare));
    yield;
  }
  while (parts.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < parts.length; index += 2) {
      const [part = [], next] = parts.slice(index, index + 2);
      merged.push(next === undefined ? part : yield* mergeSorted(part, next, compare));
    }
    parts = merged;
  }
  return parts[0] ?? [];
}

/**
 * Milliseconds of steps in one turn of the event loop. With one short step a turn, long work hardly
 * moves while requests fill the turns; with a whole millisecond of them others wait four times as
 * long while spikes of a whole shortlist are listed first.
 */
const turnMs = 0.25;

/**
 * Runs all steps, a quarter of a millisecond or one longer step in each turn of the event loop.
 * Rejects when a step throws.
 */
export const runYielding = async <Value>(steps: YieldingWork<Value>): Promise<Value> => {
  let end = performance.now() + turnMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + turnMs;
  }
};

/**
 * Creates a throttle that resolves at most `maxPerTurn` waiters per turn of the event loop, so that
 * a burst delays no one else.
 */
export const createThrottle = (maxPerTurn: number): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  const step = (): void => {
    for (const resume of waiting.splice(0, maxPerTurn)) resume();
    if (waiting.length > 0) setImmediate(step);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(step);
    });
};

/** Milliseconds of work in one turn of the event loop, for work that no request waits beside. */
const longTurnMs = 20;

/**
 * Creates a function to await between two items of long work: the event loop runs when the last 20
 * ms were spent on items. Rejects when the signal is aborted.
 */
export const createTurns = (signal?: AbortSignal): (() => Promise<void>) => {
  let end = performance.now() + longTurnMs;
  return async () => {
    if (performance.now() < end) return;
    await nextTurn();
    signal?.throwIfAborted();
    end = performance.now() + longTurnMs;
  };
};
