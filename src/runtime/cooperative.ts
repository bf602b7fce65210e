import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstWhere } from '../domain/order.ts';

/**
 * Milliseconds of work per turn of the event loop. With few items per turn, long work hardly
 * advances while requests fill the turns. With a whole millisecond, requests wait four times as
 * long while spikes are first computed.
 */
const turnMs = 0.25;

/** Items between two checks of the time: a fraction of a millisecond of simple work. */
const itemsPerStep = 500;

/**
 * Visits every item, and yields to the event loop after a quarter of a millisecond. Checks the time
 * after every `perStep` items. Rejects if a visit throws.
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

/** Items per sort: about a millisecond if texts are compared. */
const itemsPerSort = 1_000;

/** Sampled items per part: enough to keep the parts similar in size. */
const samplesPerPart = 8;

/**
 * Sorts items in turns of the event loop: divides them by sampled bounds into parts of about 1,000,
 * and sorts a part per turn. The sort is stable.
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
