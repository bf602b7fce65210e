import { headerRows } from '../../../src/crosswalk/headers-rows.ts';
import type { HeaderRow, ReplyFacts } from '../../../src/crosswalk/request-rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { Line, MemberName } from './members.ts';

/** The headers of one side's reply, and what is known of it. */
export interface HeaderSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: ReplyFacts;
  /** What the case says a header must read, by name. */
  readonly reads: Readonly<Record<string, string>>;
}

type Sides = Readonly<Record<FormName, HeaderSide>>;

const formNamesInOrder: readonly FormName[] = ['current', 'variant'];

const headerOf = ({ headers }: HeaderSide, name: string): string | undefined => headers[name.toLowerCase()];

const fits = (value: string, expected: string | RegExp | undefined): boolean =>
  expected === undefined || (typeof expected === 'string' ? value === expected : expected.test(value));

/** What is wrong with one header of one side. */
const complaintOf = (row: HeaderRow, form: FormName, side: HeaderSide): string | undefined => {
  const { served, pinned } = side.facts;
  const judgedBy = row.ofKey ? pinned : served;
  const value = headerOf(side, row.name);
  const isDue = judgedBy === undefined ? undefined : row.on[judgedBy](side.facts);
  if (value === undefined) return isDue === true ? `The reply on the ${form} side lacks ${row.name}.` : undefined;
  if (isDue === false) return `The reply on the ${form} side must not have it.`;
  const expected = side.reads[row.name] ?? row.reads?.(side.facts);
  return fits(value, expected) ? undefined : `On the ${form} side it must read ${String(expected)}.`;
};

const toMember = (name: string, value: string | undefined): MemberName | undefined =>
  value === undefined ? undefined : { path: name, value };

const declaredLine = (row: HeaderRow, sides: Sides): Line[] => {
  const current = toMember(row.name, headerOf(sides.current, row.name));
  const variant = toMember(row.name, headerOf(sides.variant, row.name));
  const unexpected = formNamesInOrder
    .map((form) => complaintOf(row, form, sides[form]))
    .find((text) => text !== undefined);
  if (current === undefined && variant === undefined && unexpected === undefined) return [];
  return [{ kind: row.kind, reason: row.reason, current, variant, unexpected }];
};

/** Headers in no row. What a proxy adds to both forms alike makes no difference between them. */
const undeclaredLines = (sides: Sides, allowsProxy: boolean): Line[] => {
  const declared = new Set(headerRows.map(({ name }) => name.toLowerCase()));
  const names = new Set(formNamesInOrder.flatMap((form) => Object.keys(sides[form].headers)));
  return [...names].flatMap((name) => {
    const current = toMember(name, headerOf(sides.current, name));
    const variant = toMember(name, headerOf(sides.variant, name));
    if (declared.has(name) || (allowsProxy && current && variant)) return [];
    const reason = 'Every header of a form stands in a row of the crosswalk.';
    return [{ kind: undefined, reason, current, variant, unexpected: 'It stands in no row.' }];
  });
};

/** Every header of two replies, row by row. */
export const headerLines = (sides: Sides, allowsProxy: boolean): Line[] => [
  ...headerRows.flatMap((row) => declaredLine(row, sides)),
  ...undeclaredLines(sides, allowsProxy),
];
