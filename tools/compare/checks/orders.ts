import { type Json, numberAt, textAt } from '../../../src/domain/json.ts';
import { byCodePoint } from '../../../src/domain/order.ts';

// The orders of lists, by rules that share no code with the gateway.

export const byLowerCase = (left: string, right: string): number =>
  byCodePoint(left.toLowerCase(), right.toLowerCase());

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

export const thenBy =
  (...compares: readonly CompareItems[]): CompareItems =>
  (left, right) =>
    compares.map((compare) => compare(left, right)).find((order) => order !== 0) ?? 0;
