import { createThrottle } from '../../src/runtime/cooperative.ts';
import { weakMemo } from '../../src/runtime/memo.ts';
import type { DetailMember, ListMember, StreamMember } from '../forms/envelope.ts';
import { type BodyStore, type BodyStoreOptions, createBodyStore } from './body-store.ts';
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

type List = Pick<ListMember<unknown>, 'items' | 'present'>;
type Detail = Pick<DetailMember<unknown>, 'item' | 'load' | 'present'>;
type Stream = Pick<StreamMember<unknown>, 'items' | 'present'>;

/** Items with their loaded data, which stay at hand until `release`. */
export interface HeldBodies {
  readonly bodies: readonly CachedBody[];
  release(): void;
}

/** Renders and caches JSON text by item and presenter: an unchanged item is rendered once for each presenter. */
export interface BodyCache {
  /** The items of a list, separated by commas. */
  list(member: List): CachedBody;
  /** An item with its loaded data. Rejects when that cannot be loaded. */
  detail(member: Detail): Promise<CachedBody>;
  /**
   * Every item of a list with its loaded data, in order. Rejects when one cannot be loaded; loads no further items once `isGone`,
   * when nobody is there to send the list to.
   */
  details(member: Stream, isGone: () => boolean): Promise<HeldBodies>;
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
 * How often a list is sent item by item before it is joined. Without joined lists a page of 50 takes 1.3 times the processor
 * time, but joining costs several sends: a list that is dropped before it is sent often must not be joined each time. With 600
 * pages in rotation, joining at the second send took 3 times the processor time of joining at the 17th.
 */
const minSends = 16;

const createListBody = (id: number, chunks: readonly Buffer[], store: BodyStore): CachedBody => {
  let sends = 0;
  return {
    length: totalLength(chunks),
    chunks() {
      const cached = store.plainLists.get(id);
      if (cached !== undefined) return [cached];
      sends += 1;
      if (chunks.length < 2 || sends <= minSends) return chunks;
      sends = 0;
      const joined = Buffer.concat(chunks);
      store.plainLists.set(id, joined);
      return [joined];
    },
    deflated() {
      const segment = store.segments.get(id);
      if (segment === undefined) store.startDeflating(id, () => Buffer.concat(chunks));
      return segment;
    },
  };
};

const createDetailBody = (id: number, segment: DeflatedSegment, { plainHistories }: BodyStore): CachedBody => ({
  length: segment.length,
  chunks() {
    const text = plainHistories.get(id) ?? inflateSegment(segment);
    plainHistories.set(id, text);
    return [text];
  },
  deflated: () => segment,
});

/** The number of an item's text with its data, and the load that requests at the same time share. */
interface DetailSlot {
  readonly id: number;
  loading?: Promise<DeflatedSegment> | undefined;
}

type Throttle = ReturnType<typeof createThrottle>;

/** The deflated text is the lasting copy; the plain one is dropped sooner, and inflated again. */
const loadDetail = async (
  id: number,
  { item, load, present }: Detail,
  { plainHistories, segments }: BodyStore,
  throttle: Throttle,
) => {
  const more = await load();
  await throttle();
  const text = Buffer.from(JSON.stringify(present(item, more)));
  const segment = await deflateSegment(text);
  segments.set(id, segment);
  plainHistories.set(id, text);
  return segment;
};

/** Items of one list that are loaded at the same time: a history of 0.5 MB takes 45 ms of the event loop, a read at most 250 ms. */
const batchSize = 2;

/** Texts of list items live as long as the items; joined, deflated and history texts share the bound of the options. */
export const createBodyCache = (options: BodyStoreOptions): BodyCache => {
  const store = createBodyStore(options);
  // Without it a page of 50 whose answer is not cached takes 2.6 times the processor time.
  // Bound: one for each item, form and visibility; key: item, presenter; lifetime: the item.
  const itemTexts = weakMemo<object, Buffer, unknown>();
  // Without it a page of 50 takes 1.3 times the processor time, and it could not be found joined or deflated.
  // Bound: one for each list of a cached answer; key: list of items, presenter; lifetime: the list.
  const lists = weakMemo<readonly object[], CachedBody, unknown>();
  // Bound: one small object for each history that was requested; key: artist, presenter; lifetime: the artist.
  const details = weakMemo<object, DetailSlot, unknown>();
  const throttle = createThrottle(1); // the JSON of a history takes 3 ms
  let lastId = 0;
  const nextId = (): number => ++lastId; // holds no reference to the item

  const renderList = ({ items, present }: List): CachedBody => {
    const textOf = (item: object) => itemTexts(item, () => toOwnBuffer(`${JSON.stringify(present(item))},`), present);
    return createListBody(nextId(), withoutLastComma(items.map(textOf)), store);
  };

  const deflatedDetail = async (member: Detail) => {
    const slot = details(member.item, (): DetailSlot => ({ id: nextId() }), member.present);
    const { id } = slot;
    const known = store.held.get(id) ?? store.segments.get(id);
    if (known !== undefined) return { id, segment: known };
    slot.loading ??= loadDetail(id, member, store, throttle).finally(() => {
      slot.loading = undefined;
    });
    return { id, segment: await slot.loading };
  };

  return {
    list: (member) => lists(member.items, () => renderList(member), member.present),
    async detail(member) {
      const { id, segment } = await deflatedDetail(member);
      return createDetailBody(id, segment, store);
    },
    async details({ items, present }, isGone) {
      const hold = store.held.open();
      const bodies: CachedBody[] = [];
      try {
        for (let from = 0; from < items.length && !isGone(); from += batchSize) {
          const batch = items.slice(from, from + batchSize).map((item) => deflatedDetail({ ...item, present }));
          for (const { id, segment } of await Promise.all(batch)) {
            hold.add(id, segment);
            bodies.push(createDetailBody(id, segment, store));
          }
        }
        return { bodies, release: hold.release };
      } catch (failure) {
        hold.release();
        throw failure;
      }
    },
  };
};
