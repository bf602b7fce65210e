import type { Log } from '../../src/ports.ts';
import { byteLru, type Keeps, keepAll } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, deflateSegment, pinnedBytes } from './gzip/deflated-segment.ts';
import { createHeldSegments } from './held-segments.ts';

export interface BodyStoreOptions {
  /** Bytes that all bodies may hold together: `BODY_CACHE_MB`. */
  readonly maxBytes: number;
  readonly log: Log;
  /** Which caches keep anything; all by default. */
  readonly keeps?: Keeps;
}

/**
 * The shares of the bound for plain texts; deflated texts have the rest. A plain text is five times as long as a deflated one,
 * and is made again by a copy or an inflate, where a deflated history takes a read from MongoDB: it must not push those out. Few
 * plain histories (half a megabyte each) are enough for clients that read the same ones at the same time. With more, a history
 * of a list is kept so long that it is promoted to the old generation, and waits there for a full garbage collection.
 */
const plainListShare = 1 / 4;
const plainHistoryShare = 1 / 24;

/** Deflated at the same time, so that threads are left for other work (file reads, DNS). */
const maxDeflating = 2;

/** Milliseconds of rest after a list is deflated, which takes 1.4 ms, as much as 45 sends save: lists of a crowd may change soon. */
const listRestMs = 25;

/** Returns a function that makes the owner of a new number, which is dropped when garbage collection finds that the owner is. */
const createNumbering = (drop: (id: number) => void) => {
  let lastId = 0;
  const dropped = new FinalizationRegistry(drop);
  return <Owner extends object>(make: (id: number) => Owner): Owner => {
    lastId += 1;
    const owner = make(lastId);
    dropped.register(owner, lastId);
    return owner;
  };
};

/** Returns a function that deflates texts, at most two at the same time; a text is made when its turn comes. */
const createDeflater = () => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (text: () => Buffer): Promise<DeflatedSegment> => {
    if (running === maxDeflating) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await deflateSegment(text());
    } finally {
      const next = waiting.shift(); // it takes over this place
      if (next === undefined) running -= 1;
      else next();
    }
  };
};

/** JSON texts by number of the body, plain and deflated, within one bound; each encoding is cached, and dropped, by itself. */
export const createBodyStore = ({ maxBytes, log, keeps = keepAll }: BodyStoreOptions) => {
  const maxListBytes = Math.ceil(maxBytes * plainListShare);
  const maxHistoryBytes = Math.ceil(maxBytes * plainHistoryShare);
  const maxSegmentBytes = maxBytes - maxListBytes - maxHistoryBytes;
  // Without it a page of 50 takes 1.3 times the processor time.
  // Bound: 1/4 of `BODY_CACHE_MB`; key: number of the body; lifetime: the list, until dropped (LRU).
  const plainLists = byteLru(maxListBytes, pinnedBytes, keeps('plain-lists'));
  // Without it a history takes 9 times the processor time.
  // Bound: 1/24 of `BODY_CACHE_MB`; key: number of the body; lifetime: the artist, until dropped (LRU).
  const plainHistories = byteLru(maxHistoryBytes, pinnedBytes, keeps('plain-histories'));
  // Without deflated lists a page of 50 to a client that accepts gzip takes 1.6 times the processor time and ten times the bytes;
  // without deflated histories a history takes twice the processor time.
  // Bound: 17/24 of `BODY_CACHE_MB`, less what lists that are being sent hold; key: number of the body; lifetime: until dropped.
  const segments = byteLru<DeflatedSegment>(maxSegmentBytes, ({ blocks }) => pinnedBytes(blocks), keeps('deflated'));
  const held = createHeldSegments(maxSegmentBytes, segments.reserve);
  let isDeflatingList = false;
  const deflate = createDeflater();
  return {
    deflate,
    /** Lists, joined into one buffer each. */
    plainLists,
    plainHistories,
    /** Lists and histories, deflated. */
    segments,
    /** Histories of lists that are being sent; they take their room from `segments`. */
    held,
    /** Makes the owner of a new number, whose bodies are dropped when no request can ask for them any more. */
    numbered: createNumbering((id) => {
      for (const bodies of [plainLists, plainHistories, segments]) bodies.delete(id);
    }),
    /** The deflated text of a list. Without one it is deflated in the background, unless another is or was just now. */
    deflated(id: number, text: () => Buffer): DeflatedSegment | undefined {
      const segment = segments.get(id);
      if (segment === undefined && !isDeflatingList) {
        isDeflatingList = true;
        deflate(text)
          .then((made) => segments.set(id, made))
          .catch((err: unknown) => log.error({ err }, 'compression failed'))
          .finally(() => setTimeout(() => (isDeflatingList = false), listRestMs).unref());
      }
      return segment;
    },
  };
};

export type BodyStore = ReturnType<typeof createBodyStore>;
