import { Problem } from '../../src/domain/problem.ts';
import { entryBytes } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, pinnedBytes } from './gzip/deflated-segment.ts';

/**
 * The share of the bound that the responses of one organization may hold together. A client that does not read its lists then
 * leaves three quarters to the others and to the cache, and four such organizations are needed to fill it.
 */
const organizationShare = 1 / 4;

/** Responses that may begin although the bound is reached, each the only one of its organization. */
const maxBeyondBound = 8;

interface HeldSegment {
  readonly segment: DeflatedSegment;
  readonly size: number; // in bytes
  responses: number;
}

/** What some responses hold: each segment once, however many of them send it. */
interface Holding {
  readonly segments: Map<number, HeldSegment>;
  /** Counted for organizations only. */
  responses: number;
  bytes: number;
  /** Bytes that responses which still load are going to hold besides, by estimate. */
  expected: number;
}

const createHolding = (): Holding => ({ segments: new Map(), responses: 0, bytes: 0, expected: 0 });

const take = (holding: Holding, id: number, segment: DeflatedSegment, size: number): void => {
  const entry = holding.segments.get(id) ?? { segment, size, responses: 0 };
  if (entry.responses === 0) {
    holding.segments.set(id, entry);
    holding.bytes += size;
  }
  entry.responses += 1;
};

const give = (holding: Holding, id: number): void => {
  const entry = holding.segments.get(id);
  if (entry === undefined) return;
  entry.responses -= 1;
  if (entry.responses > 0) return;
  holding.segments.delete(id);
  holding.bytes -= entry.size;
};

const sizeOf = ({ blocks }: DeflatedSegment): number => entryBytes + pinnedBytes(blocks);

/** A text that a response is going to send; `segment` when it is in memory already. */
interface WantedSegment {
  readonly id: number;
  readonly segment: DeflatedSegment | undefined;
}

const unread = (holds: number, share: number): Problem => {
  const cause = new Error(`responses of the organization hold ${Math.round(holds)} of ${Math.round(share)} bytes`);
  const message = 'Lists with history that your organization asked for before are not read yet: read them first.';
  return new Problem('unavailable', message, { retryAfter: 1, cause, isCallersDoing: true });
};

const full = (holds: number, maxBytes: number): Problem => {
  const cause = new Error(`responses that are being sent hold ${Math.round(holds)} of ${maxBytes} bytes`);
  const message = 'Too many lists with history are being sent: retry in 1 second.';
  return new Problem('unavailable', message, { retryAfter: 1, cause });
};

/**
 * Deflated texts that stay in memory while they are sent, also when the caches drop them, by number of the body. Responses that
 * send the same text share it. All responses may hold `maxBytes` together, those of one organization a quarter of it. Beyond
 * both bounds goes a response that is the only one of its organization: at most eight of them beyond `maxBytes`. `onChange` is
 * called with the bytes held now, whenever they change.
 */
export const createHeldSegments = (maxBytes: number, onChange: (bytes: number) => void) => {
  const share = maxBytes * organizationShare;
  const all = createHolding();
  const byOrganization = new Map<string, Holding>();
  const sizes = { sum: 0, count: 0 };
  let beyondBound = 0;

  const holdingOf = (organizationId: string): Holding => {
    const holding = byOrganization.get(organizationId) ?? createHolding();
    byOrganization.set(organizationId, holding);
    return holding;
  };

  /** What a text will take of a holding, by estimate: one that is not in memory is as long as those before it were on average. */
  const estimate = ({ segments }: Holding, { id, segment }: WantedSegment): number => {
    if (segments.has(id)) return 0;
    return segment === undefined ? sizes.sum / Math.max(sizes.count, 1) : sizeOf(segment);
  };

  /** Begins a response of an organization that has `own`. */
  const openHold = (organizationId: string, own: Holding) => {
    const ids = new Set<number>();
    const expected = new Map<number, number>();
    let isBeyond = false;

    /** Raises `unavailable` when there is no room for that many more bytes: no room in the organization's share, or in the bound. */
    const requireRoom = (ofOwn: number, ofAll: number): void => {
      const isOnly = own.responses === 1;
      const owned = own.bytes + own.expected;
      const held = all.bytes + all.expected;
      if (!isOnly && ofOwn > 0 && owned + ofOwn > share) throw unread(owned, share);
      if (isBeyond || ofAll === 0 || held + ofAll <= maxBytes) return;
      if (!isOnly || beyondBound >= maxBeyondBound) throw full(held, maxBytes);
      isBeyond = true;
      beyondBound += 1;
    };

    const expectNoMore = (id: number): void => {
      const bytes = expected.get(id) ?? 0;
      expected.delete(id);
      for (const holding of [own, all]) holding.expected -= bytes;
    };

    return {
      /** Reserves room for what the response is going to send. Raises `unavailable` when there is none. */
      expect(wanted: readonly WantedSegment[]): void {
        const texts = [...new Map(wanted.map((text) => [text.id, text])).values()];
        const sum = (holding: Holding) => texts.reduce((bytes, text) => bytes + estimate(holding, text), 0);
        requireRoom(sum(own), sum(all));
        for (const text of texts) {
          const bytes = estimate(own, text);
          expected.set(text.id, bytes);
          for (const holding of [own, all]) holding.expected += bytes;
        }
      },
      /** Holds a segment until `release`. Raises `unavailable` when there is no room for it. */
      add(id: number, segment: DeflatedSegment): void {
        if (ids.has(id)) return;
        expectNoMore(id);
        const size = sizeOf(segment);
        requireRoom(own.segments.has(id) ? 0 : size, all.segments.has(id) ? 0 : size);
        ids.add(id);
        sizes.sum += size;
        sizes.count += 1;
        for (const holding of [own, all]) take(holding, id, segment, size);
        onChange(all.bytes);
      },
      release(): void {
        for (const id of [...expected.keys()]) expectNoMore(id);
        for (const holding of [own, all]) for (const id of ids) give(holding, id);
        ids.clear();
        own.responses -= 1;
        if (isBeyond) beyondBound -= 1;
        if (own.responses === 0) byOrganization.delete(organizationId);
        onChange(all.bytes);
      },
    };
  };

  return {
    get: (id: number): DeflatedSegment | undefined => all.segments.get(id)?.segment,
    /** Begins a response to an organization, which holds what is added to it until it is released. */
    open(organizationId: string) {
      const own = holdingOf(organizationId);
      own.responses += 1;
      return openHold(organizationId, own);
    },
  };
};
