import type { Log } from '../../src/ports.ts';
import { type ByteLru, byteLru } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, deflateSegment } from './gzip/deflated-segment.ts';

export interface BodyStoreOptions {
  /** Bytes that all bodies may hold together. */
  readonly maxBytes: number;
  readonly log: Log;
}

/** JSON texts by number of the body, as they are and deflated; each encoding is cached, and dropped, by itself. */
export interface BodyStore {
  readonly identities: ByteLru<Buffer>;
  readonly segments: ByteLru<DeflatedSegment>;
  /** Deflates a text in the background unless that is under way, or too many others are being deflated. */
  startDeflating(id: number, text: () => Buffer): void;
}

/**
 * The share of the bound for texts as they are. They are five times as long as deflated ones and take a copy or an inflate to
 * make again, where a deflated history takes a read from MongoDB: they must not push those out.
 */
const identityShare = 1 / 4;

/** Deflated at the same time, so that threads are left for other work (file reads, DNS). */
const maxDeflating = 2;

/** A store of bodies within one bound. */
export const createBodyStore = ({ maxBytes, log }: BodyStoreOptions): BodyStore => {
  const maxIdentityBytes = Math.ceil(maxBytes * identityShare);
  // Without plain histories a history takes 9 times the processor time.
  // Bound: 1/4 of `BODY_CACHE_MB`; key: number of the body; lifetime: until dropped (LRU).
  const identities = byteLru<Buffer>(maxIdentityBytes, ({ length }) => length);
  // Without deflated lists a page of 50 to a client that accepts gzip takes 1.6 times the processor time and ten times the bytes;
  // without deflated histories a history takes twice the processor time.
  // Bound: 3/4 of `BODY_CACHE_MB`; key: number of the body; lifetime: until dropped (LRU).
  const segments = byteLru<DeflatedSegment>(maxBytes - maxIdentityBytes, ({ blocks }) => blocks.length);
  const deflating = new Set<number>();
  return {
    identities,
    segments,
    startDeflating(id, text) {
      if (deflating.size >= maxDeflating || deflating.has(id)) return;
      deflating.add(id);
      deflateSegment(text())
        .then((segment) => segments.set(id, segment))
        .catch((err: unknown) => log.error({ err }, 'compression failed'))
        .finally(() => deflating.delete(id));
    },
  };
};
