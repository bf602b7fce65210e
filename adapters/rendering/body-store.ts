import type { Log } from '../../src/ports.ts';
import { byteLru } from '../../src/runtime/memo.ts';
import { type DeflatedSegment, deflateSegment, pinnedBytes } from './gzip/deflated-segment.ts';

/** JSON text that is ready to be sent. */
export interface CachedBody {
  /** In bytes. */
  readonly length: number;
  chunks(): readonly Buffer[];
  /** The same text, deflated; `undefined` while it is not in the cache. */
  deflated(): DeflatedSegment | undefined;
  /** Whether everything that was loaded for it could be read. */
  readonly complete: boolean;
}

/** The bytes of a list or a history. */
interface Entry {
  readonly text?: Buffer;
  readonly segment?: DeflatedSegment;
  /** How often it was sent plain before its text was kept. */
  readonly sends?: number;
}

/**
 * What the objects of a buffer take beside what the cache counts for an entry: measured with lists
 * of 30 bytes.
 */
const bufferBytes = 200;

const sizeOf = ({ text, segment }: Entry): number =>
  [text, segment?.blocks].reduce(
    (sum, bytes) => (bytes === undefined ? sum : sum + bufferBytes + pinnedBytes(bytes)),
    0,
  );

/**
 * Sends after which a plain text is kept: of a crowd's lists, most of which are sent less often,
 * the plain texts would fill the cache.
 */
const minSends = 64;

/**
 * Milliseconds of rest after a list is deflated, which takes 1.4 ms, as much as 45 sends save:
 * lists of a crowd may change soon.
 */
const listRestMs = 25;

/**
 * JSON texts by an object that stands for the list or history, plain and deflated, within one bound
 * (bytes).
 */
export const createBodyStore = (maxBytes: number, log: Log) => {
  // Without it every response joins its items or reads its history, and deflates them, anew.
  // Bound: `BODY_CACHE_MB`, less what lists that are being sent hold; key: list or history;
  // lifetime: the key, or until dropped (LRU).
  const entries = byteLru<Entry>(maxBytes, sizeOf);
  const keep = (key: object, more: Entry): void =>
    entries.set(key, { ...entries.get(key), ...more });
  let last: Promise<unknown> = Promise.resolve();
  let isDeflatingList = false;

  /**
   * Deflates one text after the other: threads are left for other work (file reads, DNS). A text is
   * made when its turn comes.
   */
  const deflate = async (key: object, make: () => Buffer): Promise<DeflatedSegment> => {
    const deflating = last.then(() => deflateSegment(make()));
    last = deflating.catch(() => {}); // the caller gets the failure
    const segment = await deflating;
    keep(key, { segment });
    return segment;
  };

  return {
    deflate,
    reserve: entries.reserve,
    segment: (key: object): DeflatedSegment | undefined => entries.get(key)?.segment,
    text: (key: object): Buffer | undefined => entries.get(key)?.text,
    keepText: (key: object, text: Buffer): void => keep(key, { text }),
    /**
     * The plain text, kept when it is sent for the 64th time: what is asked for less often
     * displaces nothing. Until then `instead`.
     */
    sentText(
      key: object,
      make: () => Buffer,
      instead = (): readonly Buffer[] => [make()],
    ): readonly Buffer[] {
      const { text, sends = 1 } = entries.get(key) ?? {};
      if (text !== undefined) return [text];
      if (sends < minSends) {
        keep(key, { sends: sends + 1 });
        return instead();
      }
      const made = make();
      keep(key, { text: made });
      return [made];
    },
    /**
     * The deflated text of a list. Without one it is deflated in the background, unless another is
     * or was just now.
     */
    deflated(key: object, text: () => Buffer): DeflatedSegment | undefined {
      const segment = entries.get(key)?.segment;
      if (segment === undefined && !isDeflatingList) {
        isDeflatingList = true;
        deflate(key, text)
          .catch((err: unknown) => log.error({ err }, 'compression failed'))
          .finally(() => setTimeout(() => (isDeflatingList = false), listRestMs).unref());
      }
      return segment;
    },
  };
};

export type BodyStore = ReturnType<typeof createBodyStore>;
