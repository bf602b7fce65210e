import { weakMemo } from '../../src/runtime/memo.ts';
import type { DetailMember, ListMember } from '../forms/envelope.ts';
import { type BodyStoreOptions, createBodyStore, type StoredBody } from './body-store.ts';
import { type DeflatedSegment, deflateSegment, inflateSegment } from './gzip/deflated-segment.ts';

/** Bytes of all parts together. */
export const totalLength = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** JSON text that is ready to be sent. */
export interface CachedBody {
  /** In bytes. */
  readonly length: number;
  chunks(): readonly Buffer[];
  /** The same text, deflated; `undefined` while it is not in the cache. */
  deflated(): DeflatedSegment | undefined;
}

/** Renders and caches JSON text by item and presenter: an unchanged item is rendered once for each presenter. */
export interface BodyCache {
  /** The items of a list, separated by commas. */
  list(member: Pick<ListMember<unknown>, 'items' | 'present'>): CachedBody;
  /** An item with its loaded data. Rejects when that cannot be loaded. */
  detail(member: Pick<DetailMember<unknown>, 'item' | 'load' | 'present'>): Promise<CachedBody>;
}

/**
 * The text in a buffer of its own. `Buffer.from` would take it from a shared block of 8 KB: a fifth of each block stays empty,
 * and the block is freed only when all texts in it are.
 */
const toOwnBuffer = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

/** Every item's text ends in a comma, so that a list is its items' texts in a row; the last comma is cut off here. */
const withoutLastComma = (chunks: Buffer[]): Buffer[] => {
  const last = chunks.pop();
  return last === undefined ? [] : [...chunks, last.subarray(0, -1)];
};

/**
 * A list is joined when it is asked for a second time: writing one buffer costs much less than writing fifty, but a client
 * that reads the whole catalogue asks for each list once, and the copy would be wasted.
 */
const createListBody = (chunks: readonly Buffer[], stored: StoredBody): CachedBody => {
  let wasSent = false;
  return {
    length: totalLength(chunks),
    chunks() {
      const cached = stored.identity();
      if (cached !== undefined) return [cached];
      if (chunks.length < 2 || !wasSent) {
        wasSent = true;
        return chunks;
      }
      const joined = Buffer.concat(chunks);
      stored.setIdentity(joined);
      return [joined];
    },
    deflated() {
      const segment = stored.deflated();
      if (segment === undefined) stored.startDeflating(() => Buffer.concat(chunks));
      return segment;
    },
  };
};

const createDetailBody = (segment: DeflatedSegment, stored: StoredBody): CachedBody => ({
  length: segment.length,
  chunks() {
    const cached = stored.identity();
    if (cached !== undefined) return [cached];
    const text = inflateSegment(segment);
    stored.setIdentity(text);
    return [text];
  },
  deflated: () => segment,
});

/** Where the text of an item with its data is cached, and the load that requests at the same time share. */
interface DetailSlot {
  readonly stored: StoredBody;
  loading?: Promise<DeflatedSegment> | undefined;
}

const loadDetail = async ({ item, load, present }: Parameters<BodyCache['detail']>[0], stored: StoredBody) => {
  const text = Buffer.from(JSON.stringify(present(item, await load())));
  const segment = await deflateSegment(text);
  stored.setDeflated(segment);
  stored.setIdentity(text);
  return segment;
};

/** Texts of list items are kept as long as the items; joined, deflated and history texts share the bound of the options. */
export const createBodyCache = (options: BodyStoreOptions): BodyCache => {
  const newStored = createBodyStore(options);
  // Bound: the snapshot's artists, twice those shown to scopes that hide members; key: item, presenter; lifetime: the item.
  const itemTexts = weakMemo<object, Buffer, unknown>();
  // Bound: one for each cached answer; key: list of items, presenter; lifetime: the list.
  const lists = weakMemo<readonly object[], CachedBody, unknown>();
  // Bound: one small object for each history that was asked for; key: artist, presenter; lifetime: the artist.
  const details = weakMemo<object, DetailSlot, unknown>();

  const textOf = (item: object, present: ListMember<unknown>['present']): Buffer =>
    itemTexts(item, () => toOwnBuffer(`${JSON.stringify(present(item))},`), present);

  return {
    list: ({ items, present }) =>
      lists(
        items,
        () => createListBody(withoutLastComma(items.map((item) => textOf(item, present))), newStored()),
        present,
      ),
    async detail(member) {
      const slot = details(member.item, (): DetailSlot => ({ stored: newStored() }), member.present);
      const segment = slot.stored.deflated();
      if (segment !== undefined) return createDetailBody(segment, slot.stored);
      slot.loading ??= loadDetail(member, slot.stored).finally(() => {
        slot.loading = undefined;
      });
      return createDetailBody(await slot.loading, slot.stored);
    },
  };
};
