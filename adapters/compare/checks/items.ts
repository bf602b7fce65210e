import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts } from '../../../src/crosswalk/rows.ts';
import type { CaseResponses } from '../cases/send-request.ts';
import type { ListCheck, Turn } from './list-check.ts';
import { type ComparedMember, type LineBlock, violation } from './members.ts';
import { firstDisorder, type IdPairs, type IndexPair, pairItems } from './pairing.ts';
import { rowIdAt } from './row-ids.ts';

/** Compared items (or whole responses), and the items of one form that are beyond the limit of the other. */
export interface ItemComparison {
  readonly blocks: readonly LineBlock[];
  readonly beyondLimit: readonly Json[];
}

/** What tells an item apart for a reader: its identifier, or the artist and the metric. */
const identityOf = (item: Json | undefined): string =>
  textAt(item, 'id') ??
  [textAt(item, 'artist_id'), textAt(item, 'artist_name'), textAt(item, 'metric')].filter(Boolean).join(' ');

const nameOf = (item: Json): string => textAt(item, 'name') ?? textAt(item, 'artist_name') ?? '';

const titleOf = (index: number, item: Json): string => `items[${index}] ${nameOf(item)}`;

const unpairedBlock = (form: ComparedForm, index: number, item: Json, row: string | undefined): LineBlock => {
  const line = violation('Both forms list the same items.', `Only the ${form} form has it.`, row, { of: 'listing' });
  return { title: titleOf(index, item), lines: [{ ...line, [form]: { path: '', value: item } }] };
};

const placeOf = (items: readonly Json[], index = 0): ComparedMember => ({
  path: `items[${index}]`,
  value: identityOf(items[index]),
});

const disorderBlocks = (
  pairs: readonly IndexPair[],
  { current, variant }: CaseResponses,
  row: string | undefined,
): LineBlock[] => {
  const pair = firstDisorder(pairs);
  if (pair === undefined) return [];
  const unexpected = `items[${pair[0]}] of the current form is items[${pair[1]}] of the variant form.`;
  const line = violation('Lists have one order in both forms.', unexpected, row, { of: 'order', list: 'items' });
  const members = { current: placeOf(current.items, pair[0]), variant: placeOf(variant.items, pair[1]) };
  return [{ title: 'Order', lines: [{ ...line, ...members }] }];
};

/** Pairs the items of two answers and compares each pair. Adds the identifiers of artists that belong together. */
export const compareItems = async (
  { compareMembers, identify, table, identity }: ListCheck,
  { current, variant }: CaseResponses,
  idPairs: IdPairs,
  facts: ComparisonFacts,
  turn: Turn,
): Promise<ItemComparison> => {
  const identities = identify(current.items, idPairs);
  const pairs = pairItems(current.items.map(identities.current), variant.items.map(identities.variant));
  const row = rowIdAt(table, identity[0]);
  const beyondLimit: Json[] = [];
  const blocks: LineBlock[] = [];
  for (const [ourIndex, theirIndex] of pairs) {
    await turn();
    const [ours, theirs] = [current.items[ourIndex ?? -1], variant.items[theirIndex ?? -1]];
    const index = ourIndex ?? theirIndex ?? 0;
    if (ours !== undefined && theirs !== undefined) {
      if (table === 'artist' && identities.current(ours) === identities.variant(theirs))
        idPairs.add(textAt(ours, 'id') ?? '', textAt(theirs, 'id') ?? '');
      blocks.push({ title: titleOf(index, ours), lines: compareMembers(ours, theirs, facts) });
      continue;
    }
    const [form, item, other] =
      ours === undefined ? (['variant', theirs ?? null, current] as const) : (['current', ours, variant] as const);
    if (other.truncated && index >= other.items.length) beyondLimit.push(item);
    else blocks.push(unpairedBlock(form, index, item, row));
  }
  return { blocks: [...blocks, ...disorderBlocks(pairs, { current, variant }, row)], beyondLimit };
};
