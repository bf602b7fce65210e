import { keepAll, weakMemo } from '../../src/runtime/memo.ts';
import type { Items, ListMember } from '../forms/envelope.ts';
import type { BodyStore } from './body-store.ts';
import { type CachedBody, createListBody, createPageBody, createTextBody, type PageBody } from './cached-bodies.ts';
import { toOwnBytes } from './gzip/deflated-segment.ts';

type List = Pick<ListMember<unknown>, 'items' | 'present'>;
type Pages = readonly (CachedBody | PageBody)[];

/** Items of a list of its own that are rendered in one step: a millisecond, and 100 KB of JSON. A longer list is sent in pages. */
const itemsPerPage = 500;

/** Every item's text ends in a comma, so that a list is its items' texts in a row; the last comma is cut off here. */
const withoutLastComma = (texts: readonly Buffer[]): Buffer[] =>
  texts.map((text, index) => (index === texts.length - 1 ? text.subarray(0, -1) : text));

/** A list, and the texts of its items. */
interface RenderedList {
  readonly texts: readonly Buffer[];
  readonly body: CachedBody;
}

/** JSON in UTF-8, in a block of its own. */
const jsonBytes = (text: string): Buffer => toOwnBytes(Buffer.from(text));

/** Bodies of lists, which need no load. `throttle` is waited for before a page is inflated. */
export const createListBodies = (store: BodyStore, throttle: () => Promise<void>, keeps = keepAll) => {
  // Without it a page of 50 whose answer is not cached takes 2.6 times the processor time.
  // Bound: one for each item, form and visibility; key: item, presenter; lifetime: the item.
  const itemTexts = weakMemo<object, Buffer, unknown>(keeps('item-texts'));
  // Without it a page of 50 takes 1.3 times the processor time, and it could not be found joined or deflated.
  // Bound: one for each list of a cached answer; key: list of items, presenter; lifetime: the list.
  const lists = weakMemo<Items<object>, RenderedList, unknown>(keeps('lists'));
  // Without it the lists of a crowd that asks 1,300 questions are joined and deflated three times as often.
  // Bound: a weak reference for each list that somebody holds; key: JSON of the first item; lifetime: the item.
  const sharedLists = weakMemo<object, { held: readonly WeakRef<RenderedList>[] }>(keeps('shared-lists'));
  // Without it a page could not be found deflated: each request would render and deflate it.
  // Bound: one small object for each 500 items of a cached answer; key: list of items, presenter; lifetime: the list.
  const pages = weakMemo<Items<object>, Pages, unknown>(keeps('pages'));
  /** Answers with the same items share a body: of filters that leave out nothing more, or before and after a refresh. */
  const renderList = ({ items, present }: List): RenderedList => {
    const textOf = (item: object) => itemTexts(item, () => jsonBytes(`${JSON.stringify(present(item))},`), present);
    const texts = items.slice(0, items.length).map(textOf);
    const shared = sharedLists(texts[0] ?? texts, () => ({ held: [] }));
    const held = shared.held.flatMap((list) => list.deref() ?? []);
    const known = held.find(
      (list) => list.texts.length === texts.length && list.texts.every((text, index) => text === texts[index]),
    );
    if (known !== undefined) return known;
    const rendered = { texts, body: store.numbered((id) => createListBody(id, withoutLastComma(texts), store)) };
    shared.held = [...held, rendered].map((list) => new WeakRef(list));
    return rendered;
  };

  const renderPages = ({ items, present }: List): Pages => {
    const render = (from: number): Buffer => {
      const page = items.slice(from, from + itemsPerPage);
      return jsonBytes(page.map((item) => JSON.stringify(present(item))).join(','));
    };
    if (items.length <= itemsPerPage) return [store.numbered((id) => createTextBody(id, () => render(0), store))];
    return Array.from({ length: Math.ceil(items.length / itemsPerPage) }, (_, page) =>
      store.numbered((id) => createPageBody(id, () => render(page * itemsPerPage), throttle, store)),
    );
  };

  return {
    /** The items of a list, separated by commas; the text of each is cached. */
    list: (member: List): CachedBody => lists(member.items, () => renderList(member), member.present).body,
    /** The items of a list that no other shares: in one body, or in pages, between which commas belong. */
    pages: (member: List): Pages => pages(member.items, () => renderPages(member), member.present),
  };
};
