import { type Json, listAt, numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import { limitOf } from '../cases/ranges.ts';
import type { SideResponse } from '../cases/send-request.ts';

/**
 * What an answer must say about itself, whatever the other form says: two forms that are wrong in the same way agree.
 * A law gives what is wrong, in words.
 */
export type Invariant = (answer: SideResponse) => readonly string[];

export type Compare = (left: Json, right: Json) => number;

/** By code points, which is the order of the UTF-8 bytes. */
export const ascending = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

/** Newest first, unknown last. */
export const newestFirst =
  (member: string): Compare =>
  (left, right) => {
    const [ours, theirs] = [textAt(left, member), textAt(right, member)];
    if (ours === theirs) return 0;
    if (ours === undefined) return 1;
    return theirs === undefined ? -1 : ascending(theirs, ours);
  };

export const greatestFirst =
  (member: string): Compare =>
  (left, right) =>
    (numberAt(right, member) ?? 0) - (numberAt(left, member) ?? 0);

export const byText =
  (member: string): Compare =>
  (left, right) =>
    ascending(textAt(left, member) ?? '', textAt(right, member) ?? '');

/** The first comparison that decides. */
export const thenBy =
  (...compares: readonly Compare[]): Compare =>
  (left, right) =>
    compares.map((compare) => compare(left, right)).find((order) => order !== 0) ?? 0;

/** Places of the items that stand behind one that belongs behind them. */
export const misplaced = (items: readonly Json[], compare: Compare): number[] =>
  items.flatMap((item, place) => {
    const before = items[place - 1];
    return before !== undefined && compare(before, item) > 0 ? [place] : [];
  });

export const ordered =
  (rule: string, compare: Compare): Invariant =>
  ({ items }) =>
    misplaced(items, compare).map((place) => `items[${place}] stands too late: ${rule}.`);

/** A law of every item by itself; what is no text is no complaint. */
export const eachItem =
  (complain: (item: Json) => readonly (string | false)[]): Invariant =>
  ({ items }) =>
    items.flatMap((item, place) =>
      complain(item)
        .filter((text) => typeof text === 'string')
        .map((text) => `items[${place}]: ${text}`),
    );

export const noDoubles =
  (...members: readonly string[]): Invariant =>
  ({ items }) => {
    const seen = new Set<string>();
    return items.flatMap((item, place) => {
      const identity = JSON.stringify(members.map((member) => valueAt(item, member) ?? null));
      if (seen.has(identity)) return [`items[${place}] stands twice.`];
      seen.add(identity);
      return [];
    });
  };

/** The path of an answer below `/api/v1`. */
export const below = ({ path }: SideResponse): string => path.replace('/api/v1', '');

export const counted =
  (member: string): Invariant =>
  ({ bodies }) =>
    bodies.flatMap((body) => {
      const count = numberAt(body, member);
      const isTrue = count === undefined || count === listAt(body, 'data').length;
      return isTrue ? [] : [`${member} is not the number of items.`];
    });

export const withinLimit =
  (form: FormName): Invariant =>
  (answer) => {
    const limit = limitOf(form, below(answer));
    return answer.bodies.flatMap((body) => {
      const { length } = listAt(body, 'data');
      const next = valueAt(body, 'meta.next_cursor');
      if (length > limit) return [`${length} items are more than the limit of ${limit}.`];
      return typeof next === 'string' && length !== limit ? ['A page that is not full has a next page.'] : [];
    });
  };

export const onePage: Invariant = ({ bodies }) =>
  bodies.every((body) => valueAt(body, 'meta.next_cursor') === null)
    ? []
    : ['meta.next_cursor must be null: this list has one page.'];
