import { type Json, textAt } from '../../../src/domain/json.ts';
import {
  type ComparedLine,
  disorderLine,
  type LineBlock,
  type Side,
  type Sides,
  violation,
} from './lines.ts';
import { firstDisorder, type IndexPair, pairItems } from './pairing.ts';

/**
 * Compared items (or whole responses), and the items of one side that are beyond the limit of the
 * other.
 */
export interface ItemComparison {
  readonly blocks: readonly LineBlock[];
  readonly beyondLimit: readonly Json[];
}

interface SideItems {
  readonly items: readonly Json[];
  /** True if there are, or might be, more items after the last. */
  readonly truncated: boolean;
  /** Returns the same text for two items that belong together. */
  identify(item: Json): string;
}

interface ItemTerms {
  readonly titles: Sides<string>;
  readonly row: string | undefined;
  titleOf?(index: number, item: Json): string;
  show(side: Side, item: Json): Json;
  compare(left: Json, right: Json): readonly ComparedLine[];
}

/** What identifies an item in a report: its identifier, or the artist and the metric. */
const identityOf = (item: Json | undefined): string =>
  textAt(item, 'id') ??
  [textAt(item, 'artist_id'), textAt(item, 'artist_name'), textAt(item, 'metric')]
    .filter(Boolean)
    .join(' ');

export const titleOf = (index: number, item: Json): string =>
  `items[${index}] ${textAt(item, 'name') ?? textAt(item, 'artist_name') ?? ''}`.trim();

const disorderBlocks = (
  pairs: readonly IndexPair[],
  sides: Sides<SideItems>,
  { titles, row }: ItemTerms,
): LineBlock[] => {
  const [left, right] = firstDisorder(pairs) ?? [];
  if (left === undefined || right === undefined) return [];
  const placeOf = (side: Side, index: number) => ({
    path: `items[${index}]`,
    value: identityOf(sides[side].items[index]),
  });
  const places = { left: placeOf('left', left), right: placeOf('right', right) };
  return [{ title: 'Order', lines: [disorderLine('items', titles, row, places)] }];
};

export const compareItems = (sides: Sides<SideItems>, terms: ItemTerms): ItemComparison => {
  const { left, right } = sides;
  const pairs = pairItems(left.items.map(left.identify), right.items.map(right.identify));
  const beyondLimit: Json[] = [];
  const blocks: LineBlock[] = [];
  for (const [leftIndex, rightIndex] of pairs) {
    const [ours, theirs] = [left.items[leftIndex ?? -1], right.items[rightIndex ?? -1]];
    const [index, item = null] = [leftIndex ?? rightIndex ?? 0, ours ?? theirs];
    const title = (terms.titleOf ?? titleOf)(index, item);
    if (ours !== undefined && theirs !== undefined) {
      blocks.push({ title, lines: terms.compare(ours, theirs) });
      continue;
    }
    const [side, other] =
      ours === undefined ? (['right', left] as const) : (['left', right] as const);
    const text = `Only the ${terms.titles[side]} has it.`;
    const line = violation('Both sides list the same items.', text, terms.row, { type: 'listing' });
    if (other.truncated && index >= other.items.length) beyondLimit.push(item);
    else
      blocks.push({
        title,
        lines: [{ ...line, [side]: { path: '', value: terms.show(side, item) } }],
      });
  }
  return { blocks: [...blocks, ...disorderBlocks(pairs, sides, terms)], beyondLimit };
};
