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
 * What sort of violation a line has, where its row does not tell: causes are ordered and folded by
 * it.
 */
export type Sign =
  /**
   * Another status, code or form; `change` is equal where the same went wrong. It takes headers,
   * whose rows begin with `headers`, or the next page to have the expected status.
   */
  | {
      readonly of: 'status';
      readonly change: string;
      readonly takes?: 'pages' | { readonly headers: string } | undefined;
    }
  | { readonly of: 'listing' }
  | { readonly of: 'identity'; readonly list: string }
  /**
   * The order of a list, a member that only keys with a scope may see, and a header about the end
   * of a key.
   */
  | { readonly of: 'order' | 'scope' | 'notice' }
  /** A member that no row has, and what a schema refuses. */
  | { readonly of: 'undeclared' | 'schema' };

export interface ComparedLine extends Partial<Sides<ComparedMember | undefined>> {
  /** The kind of the row; without a row, what the answer violates. */
  readonly kind: RowKind | 'rule' | 'shortlist';
  readonly row?: string | undefined;
  readonly stored?: ComparedMember | undefined;
  readonly reason: string;
  readonly unexpected?: string | undefined;
  readonly sign?: Sign | undefined;
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
  sign?: Sign,
): ComparedLine => ({
  kind: 'rule',
  row,
  reason,
  unexpected,
  sign,
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
    { of: 'order' },
  ),
  left: memberOf(left.path, left.value),
  right: memberOf(right.path, right.value),
});
