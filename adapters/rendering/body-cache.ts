import { Problem } from '../../src/domain/problem.ts';
import type { Clock, Log } from '../../src/ports.ts';
import { forEachYielding, runYielding } from '../../src/runtime/cooperative.ts';
import { weakMemo } from '../../src/runtime/memo.ts';
import type { DetailMember, ListMember, StreamMember } from '../forms/envelope.ts';
import { type CachedBody, createBodyStore } from './body-store.ts';
import { type DeflatedSegment, inflateSegment, pinnedBytes } from './gzip/deflated-segment.ts';
import { createHeldLists } from './held-lists.ts';
import { createListBodies, jsonBytes } from './list-bodies.ts';

type List = Pick<ListMember<unknown>, 'items' | 'present'>;
type Detail = Pick<DetailMember<unknown>, 'item' | 'load' | 'present'>;
type Stream = Pick<StreamMember<unknown>, 'items' | 'present'>;

interface BodyCacheOptions {
  /** Bytes that all bodies may hold together: `BODY_CACHE_MB`. */
  readonly maxBytes: number;
  /** Milliseconds after which an incomplete history is read again. */
  readonly incompleteMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
}

/** Whom a response is for. */
export interface Reader {
  readonly organizationId: string;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/**
 * Clients and proxies hardly wait longer than 30 s. A 503 before tells the client; what was loaded
 * stays cached.
 */
const maxLoadingMs = 20_000;

const tooSlow = (loaded: number, all: number): Problem => {
  const cause = new Error(`${loaded} of ${all} histories are loaded after ${maxLoadingMs} ms`);
  return new Problem('unavailable', 'The histories of this list take too long to load.', {
    retryAfter: 1,
    cause,
  });
};

/** A list or an artist as one presenter shows it: the key of its bytes in the store. */
interface Slot {
  /** Set for a list whose items' texts are cached. */
  list?: CachedBody;
  /** What requests at the same time share. */
  rendering?: Promise<Buffer> | undefined;
  loading?: Promise<DeflatedSegment> | undefined;
  complete?: boolean;
  /** When the text of an incomplete history is read again, on the scale of `Clock.elapsed()`. */
  readAgainAt?: number;
}

/**
 * Renders and caches JSON text by item and presenter: an unchanged item is rendered once for each
 * presenter. Texts of list items live as long as the items; joined, deflated and history texts
 * share the bound of the options.
 */
export const createBodyCache = ({ maxBytes, incompleteMs, clock, log }: BodyCacheOptions) => {
  const store = createBodyStore(maxBytes, log);
  const held = createHeldLists(maxBytes, store.reserve);
  const listBody = createListBodies(store);
  // Without it no list or history would find its bytes.
  // Bound: one small object for each list of a cached answer and each history; key: list or artist,
  // presenter; lifetime: the key.
  const slots = weakMemo<object, Slot, unknown>();
  const slotOf = (owner: object, present: unknown): Slot => slots(owner, () => ({}), present);

  /** Renders a list in steps: one of all spikes may have thousands. */
  const renderOwn = async (slot: Slot, { items, present }: List): Promise<Buffer> => {
    const texts: string[] = [];
    await runYielding(forEachYielding(items, (item) => texts.push(JSON.stringify(present(item)))));
    const text = jsonBytes(texts.join(','));
    store.keepText(slot, text);
    return text;
  };

  const ownText = async (slot: Slot, member: List): Promise<Buffer> => {
    const known = store.text(slot);
    if (known !== undefined) return known;
    slot.rendering ??= renderOwn(slot, member).finally(() => {
      slot.rendering = undefined;
    });
    return slot.rendering;
  };

  /** The deflated text is the lasting copy; the plain one is inflated when it is sent. */
  const loadDetail = async (
    slot: Slot,
    { item, load, present }: Detail,
  ): Promise<DeflatedSegment> => {
    const more = await load();
    slot.complete = more.complete;
    slot.readAgainAt = more.complete ? Number.POSITIVE_INFINITY : clock.elapsed() + incompleteMs;
    return store.deflate(slot, () => Buffer.from(JSON.stringify(present(item, more))));
  };

  const deflatedDetail = async (slot: Slot, member: Detail): Promise<DeflatedSegment> => {
    const known = store.segment(slot);
    const { readAgainAt = 0 } = slot;
    if (known !== undefined && clock.elapsed() < readAgainAt) return known;
    slot.loading ??= loadDetail(slot, member).finally(() => {
      slot.loading = undefined;
    });
    return slot.loading;
  };

  return {
    /** The items of a list, separated by commas; the text of each is cached. */
    list(member: List): CachedBody {
      const slot = slotOf(member.items, member.present);
      slot.list ??= listBody(member);
      return slot.list;
    },
    /** The items of a list that no other shares. */
    async ownList(member: List): Promise<CachedBody> {
      const slot = slotOf(member.items, member.present);
      const text = await ownText(slot, member);
      return {
        length: text.length,
        complete: true,
        chunks: () => [text],
        deflated: () => store.deflated(slot, () => text),
      };
    },
    /** An item with its loaded data. Rejects when that cannot be loaded. */
    async detail(member: Detail): Promise<CachedBody> {
      const slot = slotOf(member.item, member.present);
      const segment = await deflatedDetail(slot, member);
      return {
        length: segment.length,
        chunks: () => store.sentText(slot, () => inflateSegment(segment)),
        deflated: () => segment,
        complete: slot.complete ?? true,
      };
    },
    /**
     * Every item of a list with its loaded data, in order, which stay in memory until `release`.
     * Rejects when one cannot be loaded, and with `unavailable` when there is no room for the list,
     * or when the next would begin after 20 s; loads no further items once `isGone`.
     */
    async details({ items, present }: Stream, { organizationId, isGone }: Reader) {
      const hold = held.open(organizationId);
      const bodies: CachedBody[] = [];
      const lastStart = clock.elapsed() + maxLoadingMs;
      try {
        // One by one: with two at a time ten lists of 0.5 MB histories need 70 MiB above idle, with
        // one 60.
        for (const item of items) {
          if (isGone()) break;
          if (clock.elapsed() > lastStart) throw tooSlow(bodies.length, items.length);
          const slot = slotOf(item.item, present);
          const segment = await deflatedDetail(slot, { ...item, present });
          hold.add(pinnedBytes(segment.blocks));
          const [{ length }, { complete = true }] = [segment, slot];
          bodies.push({
            length,
            chunks: () => [inflateSegment(segment)],
            deflated: () => segment,
            complete,
          });
        }
        return { bodies, release: hold.release };
      } catch (failure) {
        hold.release();
        throw failure;
      }
    },
  };
};

export type BodyCache = ReturnType<typeof createBodyCache>;
