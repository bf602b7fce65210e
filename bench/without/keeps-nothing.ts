import type * as Memos from '../../src/runtime/memo.ts';

/** What caches are made of that keep nothing: in place of `src/runtime/memo.ts`. */
const alwaysMake =
  () =>
  <Value>(_owner: object, make: () => Value): Value =>
    make();

export const keepsNothing = {
  weakMemo: alwaysMake,
  scopedLru: alwaysMake,
  byteLru: () => ({ get: () => undefined, set() {}, delete() {}, reserve() {}, bytes: () => 0 }),
} satisfies Pick<typeof Memos, 'weakMemo' | 'scopedLru' | 'byteLru'>;
