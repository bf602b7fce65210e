import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import type { Day } from '../../../src/domain/day.ts';
import { type Json, textAt, valueAt } from '../../../src/domain/json.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import type { MemberTable } from '../../migration/mapping/mapping.ts';
import type { IdPairs } from './pairing.ts';
import { rowAt } from './row-ids.ts';

export type IdentifyItem = (item: Json) => string;

/**
 * All artists in list order, with history, as the current form has them, and the settings of the
 * gateway: every list follows from them.
 */
export interface WholeShortlist {
  readonly artists: readonly Json[];
  /** Finds the tracked label in a P-line; `undefined` where the aliases of labels are not known. */
  readonly findLabel: ((pLine: string) => string | undefined) | undefined;
  readonly spikes: SpikeSettings;
}

export interface ListQuery {
  readonly path: string;
  readonly today: Day;
  readonly items: readonly Json[];
}

/** How the items of one kind of list are paired, compared, and checked against what is stored. */
export interface ListCheck {
  readonly table: MemberTable;
  identify(
    current: readonly Json[],
    idPairs: IdPairs,
  ): Readonly<Record<ComparedForm, IdentifyItem>>;
  /**
   * The members of the current form that tell items apart: first the one with the stable identifier
   * of the artist.
   */
  readonly identity: readonly [artistId: string, ...others: string[]];
  /**
   * The members of the current form that lists filter and sort by: they show why an item is in a
   * list, and where.
   */
  readonly keyMembers: readonly string[];
  expectedItems(shortlist: WholeShortlist, query: ListQuery): readonly Json[];
}

/** An item with no more than its key members, under the names of one form. */
export const withKeyMembers = (
  { table, keyMembers }: Pick<ListCheck, 'table' | 'keyMembers'>,
  form: ComparedForm,
  item: Json,
): Json =>
  Object.fromEntries(
    keyMembers.flatMap((member) => {
      const path = form === 'current' ? member : rowAt(table, 'current', member)?.row.variant;
      const value = path && valueAt(item, path);
      return path === undefined || value === undefined ? [] : [[path, value]];
    }),
  );

export const byMembers = (
  ...members: readonly string[]
): Readonly<Record<ComparedForm, IdentifyItem>> => {
  const identify: IdentifyItem = (item) =>
    members.map((member) => textAt(item, member) ?? '').join('\n');
  return { current: identify, variant: identify };
};
