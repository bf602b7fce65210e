import { weakMemo } from '../../src/runtime/memo.ts';
import type { ListMember } from '../forms/envelope.ts';
import type { BodyStore, CachedBody } from './body-store.ts';
import { toOwnBytes } from './gzip/deflated-segment.ts';

/** Bytes of all parts together. */
export const totalLength = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** JSON in UTF-8, in a block of its own. */
export const jsonBytes = (text: string): Buffer => toOwnBytes(Buffer.from(text));

/**
 * Every item's text ends in a comma, so that a list is its items' texts in a row; the last comma is
 * cut off here.
 */
const withoutLastComma = (texts: readonly Buffer[]): Buffer[] =>
  texts.map((text, index) => (index === texts.length - 1 ? text.subarray(0, -1) : text));

interface ListBody extends CachedBody {
  readonly items: readonly object[];
}

/** An item as one presenter shows it. */
interface ItemText {
  readonly bytes: Buffer;
  /** The bodies of lists that begin with the item. */
  lists: readonly WeakRef<ListBody>[];
}

const isSameList = (one: readonly object[], other: readonly object[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/**
 * Creates the function that renders a list of items that other lists hold too: an item is rendered
 * once for each presenter. Lists of the same items share a body: filters that leave out nothing
 * more, and a refresh that changed other artists, give such lists.
 */
export const createListBodies = (store: BodyStore) => {
  // Without it an answer that is not cached renders all its items, and joins and deflates them even
  // where a list of them has a body. Bound: one for each item, form and visibility; key: item,
  // presenter; lifetime: the item.
  const itemTexts = weakMemo<object, ItemText, unknown>();

  const createBody = (items: readonly object[], texts: readonly ItemText[]): ListBody => {
    const chunks = withoutLastComma(texts.map(({ bytes }) => bytes));
    const join = (): Buffer => toOwnBytes(Buffer.concat(chunks));
    const body: ListBody = {
      items,
      complete: true,
      length: totalLength(chunks),
      chunks: () => (chunks.length < 2 ? chunks : store.sentText(body, join, () => chunks)),
      deflated: () => store.deflated(body, join),
    };
    return body;
  };

  return ({ items, present }: Pick<ListMember<unknown>, 'items' | 'present'>): CachedBody => {
    const render = (item: object): ItemText => ({
      bytes: jsonBytes(`${JSON.stringify(present(item))},`),
      lists: [],
    });
    const texts = items.map((item) => itemTexts(item, () => render(item), present));
    const [first] = texts;
    const bodies = first?.lists.flatMap((body) => body.deref() ?? []) ?? [];
    const known = bodies.find((body) => isSameList(body.items, items));
    if (known !== undefined) return known;
    const made = createBody(items, texts);
    if (first !== undefined) first.lists = [...bodies, made].map((body) => new WeakRef(body));
    return made;
  };
};
