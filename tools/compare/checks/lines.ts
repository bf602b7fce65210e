import type { Json } from '../../../src/domain/json.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import type { RowKind } from '../../migration/mapping/rows.ts';

/**
 * What is compared has two sides: the current and the variant form, or a first and a second answer
 * in one form.
 */
export type Side = 'left' | 'right';

export type Sides<Value> = Readonly<Record<Side, Value>>;

export const bySide = <Value>(partOf: (side: Side) => Value): Sides<Value> => ({
  left: partOf('left'),
  right: partOf('right'),
});

export const sideOf: Readonly<Record<ComparedForm, Side>> = { current: 'left', variant: 'right' };

export const formTitles: Sides<string> = { left: 'current form', right: 'variant form' };

export const toSides = <Value>({
  current,
  variant,
}: Readonly<Record<ComparedForm, Value>>): Sides<Value> => ({
  left: current,
  right: variant,
});

export interface ComparedMember {
  readonly path: string;
  readonly value: Json;
}

export const memberOf = (
  path: string | undefined,
  value: Json | undefined,
): ComparedMember | undefined =>
  path === undefined || value === undefined ? undefined : { path, value };

/**
 * Type of a violation. Causes are ordered and grouped by it. `alsoMissing`: headers (by row prefix)
 * or pages that a wrong status removes.
 */
export type ViolationType =
  /** Another status, code or form; the same error has the same `change`. */
  | {
      readonly type: 'status';
      readonly change: string;
      readonly alsoMissing?: 'pages' | { readonly headers: string } | undefined;
    }
  /** An item that only one side lists, or a wrong cursor. */
  | { readonly type: 'listing' }
  /** The member that identifies an element of a list. */
  | { readonly type: 'identity'; readonly list: string }
  /** The order of a list, a member that needs a scope, a header about the end of a key. */
  | { readonly type: 'order' | 'scope' | 'notice' }
  /** A member without a row, and what a schema refuses. */
  | { readonly type: 'undeclared' | 'schema' };

export interface ComparedLine extends Partial<Sides<ComparedMember | undefined>> {
  /** The kind of the row; without a row, what the answer violates. */
  readonly kind: RowKind | 'rule' | 'shortlist';
  readonly row?: string | undefined;
  readonly stored?: ComparedMember | undefined;
  readonly reason: string;
  readonly unexpected?: string | undefined;
  readonly violates?: ViolationType | undefined;
}

export interface LineBlock {
  readonly title: string;
  readonly lines: readonly ComparedLine[];
}

export const storedReason = 'Answers match the stored data.';

/** A line about a violation that no single member causes. */
export const violation = (
  reason: string,
  unexpected: string,
  row?: string,
  violates?: ViolationType,
): ComparedLine => ({
  kind: 'rule',
  row,
  reason,
  unexpected,
  violates,
});

/**
 * A line about lists with different orders, with the first element that has another place on the
 * right side.
 */
export const disorderLine = (
  list: string,
  titles: Sides<string>,
  row: string | undefined,
  { left, right }: Sides<ComparedMember>,
): ComparedLine => ({
  ...violation(
    `Both sides list ${list} in the same order.`,
    `The ${titles.left} and the ${titles.right} list ${list} in different orders.`,
    row,
    { type: 'order' },
  ),
  left: memberOf(left.path, left.value),
  right: memberOf(right.path, right.value),
});
