import type { BodyStore } from './body-store.ts';
import { type DeflatedSegment, inflateSegment, toOwnBytes } from './gzip/deflated-segment.ts';

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

/**
 * How often a list is sent before its plain text is kept, in free room and in that of others. Until then a page of 50 is sent item
 * by item, in 1.3 times the processor time, and longer lists are inflated. But a text costs several sends, and one that is soon
 * dropped brings the next full garbage collection closer: lists that are rarely sent must not displace each other.
 */
const minSends = 16;
const minSendsToReplace = 160;

/** The plain text of the list with this number, kept once it was sent often; until then what is sent `instead`. */
const createPlainText = (id: number, { plainLists }: BodyStore) => {
  let sends = 0;
  return (length: number, make: () => Buffer, instead = (): readonly Buffer[] => [make()]): readonly Buffer[] => {
    const cached = plainLists.get(id);
    if (cached !== undefined) return [cached];
    sends += 1;
    if (sends <= (plainLists.hasRoom(length) ? minSends : minSendsToReplace)) return instead();
    sends = 0;
    const text = make();
    plainLists.set(id, text);
    return [text];
  };
};

/** A list of items whose texts are cached. */
export const createListBody = (id: number, chunks: readonly Buffer[], store: BodyStore): CachedBody => {
  const length = totalLength(chunks);
  const plainText = createPlainText(id, store);
  const join = (): Buffer => toOwnBytes(Buffer.concat(chunks));
  return {
    length,
    chunks: () => (chunks.length < 2 ? chunks : plainText(length, join, () => chunks)),
    deflated: () => store.deflated(id, () => Buffer.concat(chunks)),
  };
};

/** A part of a long list, which is made when it is sent. */
export interface PageBody {
  /** The page if it is in the cache. */
  cached(): CachedBody | undefined;
  load(): Promise<CachedBody>;
}

/**
 * A page that is rendered and deflated once, for all requests at the same time; the plain text is inflated when it is sent. Each
 * request waits for `turn` before it goes on with a page that it waited for: else all would inflate it at once.
 */
export const createPageBody = (
  id: number,
  render: () => Buffer,
  turn: () => Promise<void>,
  store: BodyStore,
): PageBody => {
  const { segments, deflate } = store;
  const plainText = createPlainText(id, store);
  let loading: Promise<DeflatedSegment> | undefined;
  const make = async (): Promise<DeflatedSegment> => {
    const segment = await deflate(render);
    segments.set(id, segment);
    return segment;
  };
  const toBody = (segment: DeflatedSegment): CachedBody => ({
    length: segment.length,
    chunks: () => plainText(segment.length, () => inflateSegment(segment)),
    deflated: () => segment,
  });
  const cached = (): CachedBody | undefined => {
    const segment = segments.get(id);
    return segment && toBody(segment);
  };
  return {
    cached,
    async load() {
      const body = cached();
      if (body !== undefined) return body;
      loading ??= make().finally(() => {
        loading = undefined;
      });
      const segment = await loading;
      await turn();
      return toBody(segment);
    },
  };
};

const cachedIn = (texts: BodyStore['plainLists'], id: number, make: () => Buffer): Buffer => {
  const cached = texts.get(id);
  if (cached !== undefined) return cached;
  const text = make();
  texts.set(id, text);
  return text;
};

/** A list that is cached as a whole, or not at all. */
export const createTextBody = (id: number, render: () => Buffer, store: BodyStore): CachedBody => {
  const text = (): Buffer => cachedIn(store.plainLists, id, render);
  return {
    length: text().length,
    chunks: () => [text()],
    deflated: () => store.deflated(id, text),
  };
};

/** An item with its data. */
export const createDetailBody = (id: number, segment: DeflatedSegment, { plainHistories }: BodyStore): CachedBody => ({
  length: segment.length,
  chunks: () => [cachedIn(plainHistories, id, () => inflateSegment(segment))],
  deflated: () => segment,
});
