import type { Log } from '../../src/ports.ts';
import { byteLru } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, deflateSegment } from './gzip/deflated-segment.ts';

export interface BodyStoreOptions {
  /** Bytes that all bodies may hold together. */
  readonly maxBytes: number;
  readonly log: Log;
}

/** The JSON text of one body, as it is and deflated; each encoding is cached, and dropped, by itself. */
export interface StoredBody {
  identity(): Buffer | undefined;
  setIdentity(text: Buffer): void;
  deflated(): DeflatedSegment | undefined;
  setDeflated(segment: DeflatedSegment): void;
  /** Deflates the text in the background unless that is under way, or too many others are being deflated. */
  startDeflating(text: () => Buffer): void;
}

/**
 * The share of the bound for texts as they are. They are five times as long as deflated ones and cost a copy or an inflate to
 * make again, where a deflated history costs a read from MongoDB: they must not push those out.
 */
const identityShare = 1 / 4;

/** Deflated at the same time, so that threads are left for other work (file reads, DNS). */
const maxDeflating = 2;

/** Caches bodies within one bound. The result makes room for one body, which holds nothing until a text is set. */
export const createBodyStore = ({ maxBytes, log }: BodyStoreOptions): (() => StoredBody) => {
  const maxIdentityBytes = Math.ceil(maxBytes * identityShare);
  // Bound: 1/4 of `BODY_CACHE_MB`; key: number of the body; lifetime: until dropped (LRU).
  const identities = byteLru<Buffer>(maxIdentityBytes, ({ length }) => length);
  // Bound: 3/4 of `BODY_CACHE_MB`; key: number of the body; lifetime: until dropped (LRU).
  const segments = byteLru<DeflatedSegment>(maxBytes - maxIdentityBytes, ({ blocks }) => blocks.length);
  const deflating = new Set<number>();
  let count = 0;

  const deflateInBackground = (id: number, text: Buffer): void => {
    deflating.add(id);
    deflateSegment(text)
      .then((segment) => segments.set(id, segment))
      .catch((err: unknown) => log.error({ err }, 'compression failed'))
      .finally(() => deflating.delete(id));
  };

  return () => {
    count += 1;
    const id = count; // a number keeps nothing else alive
    return {
      identity: () => identities.get(id),
      setIdentity: (text) => identities.set(id, text),
      deflated: () => segments.get(id),
      setDeflated: (segment) => segments.set(id, segment),
      startDeflating(text) {
        if (deflating.size < maxDeflating && !deflating.has(id)) deflateInBackground(id, text());
      },
    };
  };
};
