import type { Json } from '../../../src/crosswalk/json.ts';
import type { MemberName } from '../checks/members.ts';

/** Longer values are cut in reports; JSON has them whole. */
const longest = 300;

/** A text in which nothing moves a cursor, ends a line or turns writing around: it is told by its code point instead. */
export const plainText = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (control) => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

/** A value as reports show it: JSON on one line. */
export const showValue = (value: Json): string => {
  const text = plainText(JSON.stringify(value));
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
};

/** The part of a text that another one does not share, between what both begin and end with. */
export interface Parted {
  readonly before: string;
  readonly own: string;
  readonly after: string;
}

const sharedStart = (left: readonly string[], right: readonly string[]): number => {
  const parted = left.findIndex((letter, place) => letter !== right[place]);
  return parted === -1 ? left.length : parted;
};

/** Takes a text apart into what it shares with another one and what is its own. */
export const partFrom = (text: string, other: string): Parted => {
  const [ours, theirs] = [[...text], [...other]];
  const start = Math.min(sharedStart(ours, theirs), theirs.length);
  const end = sharedStart(ours.slice(start).reverse(), theirs.slice(start).reverse());
  const rest = ours.length - Math.min(end, ours.length - start, theirs.length - start);
  return {
    before: ours.slice(0, start).join(''),
    own: ours.slice(start, rest).join(''),
    after: ours.slice(rest).join(''),
  };
};

/** Where a value stands and what it is, on two lines. */
export const showMember = (member: MemberName | undefined): string =>
  member === undefined
    ? '–'
    : [plainText(member.path), showValue(member.value)].filter((text) => text !== '').join('\n');
