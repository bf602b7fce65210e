import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { Facts } from '../../../src/crosswalk/rows.ts';
import type { SideResponse } from '../cases/send-request.ts';
import type { IdPairs } from '../targets/id-pairs.ts';
import type { ListKind } from './invariants.ts';
import type { CompareMembers, Line } from './members.ts';
import { firstDisorder, pairPlaces } from './pairing.ts';

/** One item of each form, side by side, line by line. */
export interface Block {
  readonly title: string;
  readonly lines: readonly Line[];
}

type Identify = (item: Json) => string;

const byMembers =
  (...members: readonly string[]): Identify =>
  (item) =>
    members.map((member) => textAt(item, member) ?? '').join('\n');

const nameOf = (item: Json | undefined): string => textAt(item, 'name') ?? textAt(item, 'artist_name') ?? '';

/** Artists are known by their identifiers where all pairs are known, and else by name and day. */
const identifyArtists = (current: readonly Json[], { documentIdOf }: IdPairs): readonly [Identify, Identify] => {
  const idOf: Identify = (item) => documentIdOf(textAt(item, 'id') ?? '') ?? '';
  if (current.every((item) => idOf(item) !== '')) return [idOf, byMembers('id')];
  return [byMembers('name', 'date_added'), byMembers('name', 'date_added')];
};

const identifiers: Readonly<
  Record<ListKind, (current: readonly Json[], identities: IdPairs) => readonly [Identify, Identify]>
> = {
  artists: identifyArtists,
  spikes: () => [byMembers('artist_name', 'metric'), byMembers('artist_name', 'metric')],
  signings: () => [byMembers('artist_name'), byMembers('artist_name')],
};

const alone = (side: 'current' | 'variant', item: Json | undefined): Line => ({
  kind: undefined,
  [side]: { path: '', value: item ?? null },
  reason: 'Both forms list the same items.',
  unexpected: `Only the ${side} form has it.`,
});

const disorder = (place: number, other: number): Block => ({
  title: 'Order',
  lines: [
    {
      kind: undefined,
      reason: 'Lists have one order in both forms.',
      unexpected: `items[${place}] of the current form is items[${other}] of the variant form.`,
    },
  ],
});

/** What was compared, and the items of a form that lie behind the last one that the other form can show. */
export interface ComparedItems {
  readonly blocks: readonly Block[];
  readonly outOfReach: readonly Json[];
}

/** Pairs the items of two answers and compares each pair. */
export const compareItems = (
  items: ListKind,
  current: SideResponse,
  variant: SideResponse,
  compareMembers: CompareMembers,
  identities: IdPairs,
  facts: Facts,
): ComparedItems => {
  const [ours, theirs] = identifiers[items](current.items, identities);
  const pairs = pairPlaces(current.items.map(ours), variant.items.map(theirs));
  const blocks: Block[] = [];
  const outOfReach: Json[] = [];
  for (const pair of pairs) {
    const our = current.items[pair.current ?? -1];
    const their = variant.items[pair.variant ?? -1];
    const place = pair.current ?? pair.variant ?? 0;
    const title = `items[${place}] ${nameOf(our ?? their)}`;
    const isBehind =
      our === undefined ? current.cut && place >= current.items.length : variant.cut && place >= variant.items.length;
    if (our !== undefined && their !== undefined) {
      if (items === 'artists' && ours(our) === theirs(their)) {
        identities.add(textAt(our, 'id') ?? '', textAt(their, 'id') ?? '');
      }
      blocks.push({ title, lines: compareMembers(our, their, facts) });
    } else if (isBehind) outOfReach.push(our ?? their ?? null);
    else blocks.push({ title, lines: [our === undefined ? alone('variant', their) : alone('current', our)] });
  }
  const parted = firstDisorder(pairs);
  if (parted?.current !== undefined && parted.variant !== undefined)
    blocks.push(disorder(parted.current, parted.variant));
  return { blocks, outOfReach };
};
