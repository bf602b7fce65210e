import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, listAt, numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import type { SideResponse } from '../cases/send-request.ts';
import { type ComparedLine, type Sign, violation } from './lines.ts';

/** A check of one answer alone. Returns a description of each violation. */
type CheckAnswer = (answer: SideResponse) => readonly string[];

/** What an answer of one form must hold by itself, for errors that both forms have in common. */
export interface Invariant {
  readonly says: string;
  readonly check: CheckAnswer;
  /** The row of the crosswalk that it is about, if it is about one. */
  readonly row?: string | undefined;
  readonly sign?: Sign | undefined;
}

export const invariant = (says: string, check: CheckAnswer, row?: string, sign?: Sign): Invariant => ({
  says,
  check,
  row,
  sign,
});

type CompareItems = (left: Json, right: Json) => number;

/** Newest first, unknown last. */
export const newestFirst =
  (member: string): CompareItems =>
  (left, right) => {
    const [ours, theirs] = [textAt(left, member), textAt(right, member)];
    if (ours === theirs) return 0;
    if (ours === undefined) return 1;
    return theirs === undefined ? -1 : byCodePoint(theirs, ours);
  };

export const greatestFirst =
  (member: string): CompareItems =>
  (left, right) =>
    (numberAt(right, member) ?? 0) - (numberAt(left, member) ?? 0);

export const byText =
  (member: string): CompareItems =>
  (left, right) =>
    byCodePoint(textAt(left, member) ?? '', textAt(right, member) ?? '');

/** Orders by the first comparison that is not 0. */
export const thenBy =
  (...compares: readonly CompareItems[]): CompareItems =>
  (left, right) =>
    compares.map((compare) => compare(left, right)).find((order) => order !== 0) ?? 0;

/** Indexes of the items that belong before their predecessor. */
export const misplaced = (items: readonly Json[], compare: CompareItems): number[] =>
  items.flatMap((item, index) => {
    const before = items[index - 1];
    return before !== undefined && compare(before, item) > 0 ? [index] : [];
  });

export const ordered = (rule: string, compare: CompareItems): Invariant =>
  invariant(
    `Items are ordered ${rule}.`,
    ({ items }) => misplaced(items, compare).map((index) => `items[${index}] is out of order: ${rule}.`),
    undefined,
    { of: 'order', list: 'items' },
  );

/** Checks every item alone; `false` means that a check holds. */
export const eachItem =
  (check: (item: Json) => readonly (string | false)[]): CheckAnswer =>
  ({ items }) =>
    items.flatMap((item, index) =>
      check(item)
        .filter((text) => typeof text === 'string')
        .map((text) => `items[${index}]: ${text}`),
    );

export const noDuplicates = (...members: readonly string[]): Invariant =>
  invariant(`No two items, of all pages, have the same ${members.join(' and ')}.`, duplicatesBy(members), undefined, {
    of: 'listing',
  });

const duplicatesBy =
  (members: readonly string[]): CheckAnswer =>
  ({ items }) => {
    const seen = new Set<string>();
    return items.flatMap((item, index) => {
      const identity = JSON.stringify(members.map((member) => valueAt(item, member) ?? null));
      if (seen.has(identity)) return [`items[${index}] is listed twice.`];
      seen.add(identity);
      return [];
    });
  };

export const onePage = invariant('The list has one page.', ({ bodies }) =>
  bodies.every((body) => valueAt(body, 'meta.next_cursor') === null)
    ? []
    : ['meta.next_cursor must be null: this list has one page.'],
);

const countMembers: Readonly<Record<ComparedForm, string>> = { current: 'meta.count', variant: 'count' };

const withinLimit: CheckAnswer = ({ bodies, limit }) =>
  bodies.flatMap((body) => {
    const { length } = listAt(body, 'data');
    if (length > limit) return [`${length} items are more than the limit of ${limit}.`];
    const hasNext = typeof valueAt(body, 'meta.next_cursor') === 'string';
    return hasNext && length !== limit ? ['A page that is not full has a next page.'] : [];
  });

const countIsTrue = (member: string, { bodies }: SideResponse): string[] =>
  bodies.flatMap((body) => {
    const count = numberAt(body, member);
    const isTrue = count === undefined || count === listAt(body, 'data').length;
    return isTrue ? [] : [`${member} is not the number of items.`];
  });

/** The invariants of every list. */
export const listInvariants: Readonly<Record<ComparedForm, readonly Invariant[]>> = byForm((form) => [
  invariant('A page has at most as many items as its limit, and one that is not full has no next page.', withinLimit),
  invariant(
    `${countMembers[form]} is the number of items.`,
    (answer) => countIsTrue(countMembers[form], answer),
    'envelope.meta.count',
  ),
]);

/** The violations in one form's answer: of the invariants of every list, and of those given. */
export const violations = (
  form: ComparedForm,
  invariants: readonly Invariant[],
  answer: SideResponse,
): ComparedLine[] =>
  [...listInvariants[form], ...invariants].flatMap(({ says, check, row, sign }) =>
    check(answer).map((text) => violation(says, `The ${form} form: ${text}`, row, sign)),
  );
