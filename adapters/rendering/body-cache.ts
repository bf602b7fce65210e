import { Problem } from '../../src/domain/problem.ts';
import type { Clock } from '../../src/ports.ts';
import { createThrottle } from '../../src/runtime/cooperative.ts';
import { keepAll, weakMemo } from '../../src/runtime/memo.ts';
import type { DetailMember, StreamMember } from '../forms/envelope.ts';
import { type BodyStoreOptions, createBodyStore } from './body-store.ts';
import { type CachedBody, createDetailBody } from './cached-bodies.ts';
import type { DeflatedSegment } from './gzip/deflated-segment.ts';
import { createListBodies } from './list-bodies.ts';

type Detail = Pick<DetailMember<unknown>, 'item' | 'load' | 'present'>;
type Stream = Pick<StreamMember<unknown>, 'items' | 'present'>;

/** Whom a response is for. */
export interface Reader {
  readonly organizationId: string;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/** Clients and proxies hardly wait longer than 30 s. A 503 before tells the client; what was loaded stays cached. */
const maxLoadingMs = 20_000;

const tooSlow = (loaded: number, all: number): Problem => {
  const cause = new Error(`${loaded} of ${all} histories are loaded after ${maxLoadingMs} ms`);
  return new Problem('unavailable', 'The histories of this list take too long to load.', { retryAfter: 1, cause });
};

/** The number of an item's text with its data, and the load that requests at the same time share. */
interface DetailSlot {
  readonly id: number;
  loading?: Promise<DeflatedSegment> | undefined;
}

/**
 * Renders and caches JSON text by item and presenter: an unchanged item is rendered once for each presenter. Texts of list items live as long as the items; joined, deflated and history texts share the bound of the options.
 */
export const createBodyCache = ({
  clock,
  keeps = keepAll,
  ...options
}: BodyStoreOptions & { readonly clock: Pick<Clock, 'elapsed'> }) => {
  const store = createBodyStore({ ...options, keeps });
  // Bound: one small object for each history that was requested; key: artist, presenter; lifetime: the artist.
  const details = weakMemo<object, DetailSlot, unknown>(keeps('details'));
  const throttle = createThrottle(1); // the JSON of a history takes 3 ms

  /** The deflated text is the lasting copy; the plain one is inflated when it is sent. */
  const loadDetail = async (id: number, { item, load, present }: Detail): Promise<DeflatedSegment> => {
    const more = await load();
    await throttle();
    const segment = await store.deflate(() => Buffer.from(JSON.stringify(present(item, more))));
    store.segments.set(id, segment);
    return segment;
  };

  const findDetail = ({ item, present }: Pick<Detail, 'item' | 'present'>) => {
    const slot: DetailSlot = details(item, () => store.numbered((id) => ({ id })), present);
    return { id: slot.id, slot, segment: store.held.get(slot.id) ?? store.segments.get(slot.id) };
  };

  const deflatedDetail = async (member: Detail) => {
    const { id, slot, segment } = findDetail(member);
    if (segment !== undefined) return { id, segment };
    slot.loading ??= loadDetail(id, member).finally(() => {
      slot.loading = undefined;
    });
    return { id, segment: await slot.loading };
  };

  return {
    ...createListBodies(store, throttle, keeps),
    /** An item with its loaded data. Rejects when that cannot be loaded. */
    async detail(member: Detail): Promise<CachedBody> {
      const { id, segment } = await deflatedDetail(member);
      return createDetailBody(id, segment, store);
    },
    /**
     * Every item of a list with its loaded data, in order, which stay in memory until `release`. Rejects when one cannot be
     * loaded, and with `unavailable` before anything is loaded when there is no room for the list, or when the next would begin
     * after 20 s; loads no further items once `isGone`.
     */
    async details({ items, present }: Stream, { organizationId, isGone }: Reader) {
      const hold = store.held.open(organizationId);
      const bodies: CachedBody[] = [];
      const lastStart = clock.elapsed() + maxLoadingMs;
      try {
        hold.expect(items.map(({ item }) => findDetail({ item, present })));
        // One by one: with two at a time ten lists of 0.5 MB histories need 70 MiB above idle, with one 60.
        for (const item of items) {
          if (isGone()) break;
          if (clock.elapsed() > lastStart) throw tooSlow(bodies.length, items.length);
          const { id, segment } = await deflatedDetail({ ...item, present });
          hold.add(id, segment);
          bodies.push(createDetailBody(id, segment, store));
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
