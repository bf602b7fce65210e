import { setImmediate } from 'node:timers/promises';

/** Work that is done step by step, so that others may have their turn between two steps. */
export type Steps<Value> = Generator<void, Value>;

/** Items that are looked at in one step: a fraction of a millisecond of simple work. */
const itemsAtOnce = 500;

/** Looks at every item, so many in a step. */
export function* visitSteps<Item>(items: Iterable<Item>, visit: (item: Item) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count += 1;
    if (count % itemsAtOnce === 0) yield;
  }
}

/** Does all steps; requests and whatever else is waiting have their turn between any two. */
export const inTurns = async <Value>(steps: Steps<Value>): Promise<Value> => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
};

/** The items of a stream; others have their turn after so many of them. */
export async function* streamInTurns<Item>(items: AsyncIterable<Item>, atOnce: number): AsyncIterable<Item> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count % atOnce === 0) await setImmediate();
  }
}
