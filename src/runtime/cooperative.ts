import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstWhere } from '../domain/order.ts';

/**
 * Milliseconds of items in one turn of the event loop. With a few items a turn, long work hardly
 * moves while requests fill the turns; with a whole millisecond of them others wait four times as
 * long while spikes of a whole shortlist are listed first.
 */
const turnMs = 0.25;

/** A fraction of a millisecond of simple work. */
const itemsPerStep = 500;

/**
 * Visits every item, and lets the event loop run when a quarter of a millisecond was spent on them;
 * it looks at the time after every `perStep` items. Rejects when a visit throws.
 */
export const forEachInTurns = async <Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
  perStep = itemsPerStep,
): Promise<void> => {
  let end = performance.now() + turnMs;
  let index = 0;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (index % perStep !== 0 || performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + turnMs;
  }
};

/** A millisecond, with a comparison of texts. */
const itemsPerSort = 1_000;

/** Items of a sample between two bounds: enough that no part is many times as long as another. */
const samplesPerPart = 8;

/**
 * Sorts items in turns of the event loop: divides them by bounds of a sample into parts of about
 * 1,000, and sorts each part in a turn. The order of equal items is kept.
 */
export const sortInTurns = async <Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Promise<Item[]> => {
  const count = Math.ceil(items.length / itemsPerSort);
  if (count <= 1) return items.toSorted(compare);
  const stride = Math.floor(items.length / (count * samplesPerPart));
  const sample = items.filter((_, index) => index % stride === 0).sort(compare);
  const bounds = sample.filter((_, index) => index > 0 && index % samplesPerPart === 0);
  const parts: Item[][] = Array.from({ length: bounds.length + 1 }, () => []);
  await forEachInTurns(items, (item) => {
    parts[firstWhere(bounds, (bound) => compare(item, bound) < 0)]?.push(item);
  });
  await forEachInTurns(parts, (part) => part.sort(compare), 1);
  return parts.flat();
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
