import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../src/domain/problem.ts';
import type { Clock } from '../../src/ports.ts';
import { byteLru, weakMemo } from '../../src/runtime/memo.ts';
import {
  type DeferredMember,
  type DetailMember,
  type Envelope,
  isDeferredMember,
  type ListMember,
  type StreamMember,
} from '../forms/envelope.ts';
import {
  type DeflatedSegment,
  deflateSegment,
  inflateSegment,
  pinnedBytes,
  toOwnBytes,
} from './gzip/deflated-segment.ts';
import { createStreamSlots } from './stream-slots.ts';

type List = Pick<ListMember<unknown>, 'items' | 'present'>;
type Detail = Pick<DetailMember<unknown>, 'item' | 'load' | 'present'>;
type Stream = Pick<StreamMember<unknown>, 'items' | 'present'>;

/** JSON text of a list or of an artist with its history, shared by many responses. */
export interface CachedText {
  /** In bytes. */
  readonly length: number;
  plain(): readonly Buffer[];
  deflated(): DeflatedSegment | Promise<DeflatedSegment>;
}

/** The JSON text of an envelope, in parts: made for this response, or cached. */
export interface Rendered {
  readonly parts: readonly (Buffer | CachedText)[];
  /** True if all loaded data could be read. */
  readonly complete: boolean;
  /** Set if the text is too long for memory. Its parts are sent one by one, then released. */
  readonly release?: (() => void) | undefined;
}

/** The client that a response is sent to. */
export interface Client {
  readonly organizationId: string;
  /** True if the client has disconnected. */
  readonly isGone: () => boolean;
}

interface RendererOptions {
  /** Maximum total bytes of all cached bodies: `BODY_CACHE_MB`. */
  readonly maxBytes: number;
  /** Milliseconds after which an incomplete history is read again. */
  readonly incompleteMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** The text of a list, shared by lists of the same items. */
interface ListText extends CachedText {
  readonly items: readonly object[];
}

/** An item's text from one presenter. */
interface ItemText {
  readonly text: Buffer;
  /** The texts of lists that end with the item. Fewer lists end than begin with an item. */
  lists: readonly WeakRef<ListText>[];
}

const isSameList = (one: readonly object[], other: readonly object[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The cache key of a list or a history from one presenter. */
interface Key {
  /** Plain sends since the text was last joined. */
  sends: number;
}

/** The cached bytes of a list or a history. */
interface Entry {
  readonly segment?: DeflatedSegment;
  readonly text?: Buffer;
  /** Expiry, on the scale of `Clock.elapsed()`. */
  readonly until: number;
}

type DeflatedEntry = Entry & { readonly segment: DeflatedSegment };

const isDeflated = (entry: Entry): entry is DeflatedEntry => entry.segment !== undefined;

/**
 * Sends after which a plain text is joined and cached. A response to a slow client holds its text
 * in memory: before this limit only the items' texts, which all lists share. 2,000 connections hold
 * at most 31 joined lists outside the cache, of a megabyte each in the variant form.
 */
const minSends = 64;

/**
 * Memory of a buffer's objects beyond the counted bytes of an entry, measured with lists of 30
 * bytes.
 */
const bufferBytes = 200;

const sizeOf = ({ text, segment }: Entry): number =>
  [text, segment?.blocks].reduce(
    (sum, bytes) => (bytes === undefined ? sum : sum + bufferBytes + pinnedBytes(bytes)),
    0,
  );

/**
 * Clients and proxies rarely wait longer than 30 s; an earlier 503 reaches them. Loaded data stays
 * in the cache.
 */
const maxLoadingMs = 20_000;

const tooSlow = (loaded: number, all: number): Problem => {
  const cause = new Error(`${loaded} of ${all} histories are loaded after ${maxLoadingMs} ms`);
  return new Problem('unavailable', 'The histories of this list take too long to load.', {
    retryAfter: 1,
    cause,
  });
};

const comma = Buffer.from(',');

/** List items rendered in one turn of the event loop, which takes one to five milliseconds. */
const itemsPerTurn = 500;

/**
 * Creates the function that renders envelopes. An unchanged item is rendered once per presenter.
 * Lists and histories are deflated on first use, and once while they fit in `maxBytes`.
 */
export const createRenderer = ({ maxBytes, incompleteMs, clock }: RendererOptions) => {
  // Without the cache, every response renders all its items.
  // Bound: one for each item, form and visibility; key: item, presenter; lifetime: the item.
  const itemTexts = weakMemo<object, ItemText, unknown>();
  // Without the cache, every cached result renders its list again.
  // Bound: one for each list of a cached result; key: list, presenter; lifetime: the list.
  const lists = weakMemo<object, Promise<ListText>, unknown>();
  // Without the keys, histories and own lists do not find their cached bytes.
  // Bound: one small object for each artist, form and visibility, and for each list of a cached
  // result; key: artist or list, presenter; lifetime: the artist or list.
  const keys = weakMemo<object, Key, unknown>();
  const keyOf = (owner: object, present: unknown): Key =>
    keys(owner, () => ({ sends: 0 }), present);
  // Without the cache, every compressed response deflates its list, and every response reads its
  // history.
  // Bound: `BODY_CACHE_MB`; key: the text of a list, or one of the above; lifetime: the key, or
  // until dropped (LRU).
  const entries = byteLru<Entry>(maxBytes, sizeOf);
  const making = new Map<Key, Promise<DeflatedEntry>>();
  const openStream = createStreamSlots();
  let deflating: Promise<unknown> = Promise.resolve();

  /**
   * Deflates one text at a time, to leave threads for other work (file reads, DNS). Makes each text
   * only when it is next.
   */
  const deflate = (makeText: () => Buffer): Promise<DeflatedSegment> => {
    const deflated = deflating.then(() => deflateSegment(makeText()));
    deflating = deflated.catch(() => {}); // the caller gets the failure
    return deflated;
  };

  /** The deflated entry of a key. Concurrent responses share the deflating. */
  const deflatedOf = (
    key: Key,
    make: () => Promise<DeflatedEntry>,
  ): DeflatedEntry | Promise<DeflatedEntry> => {
    const known = entries.get(key);
    if (known !== undefined && isDeflated(known) && clock.elapsed() < known.until) return known;
    const begun = making.get(key);
    if (begun !== undefined) return begun;
    const made = make()
      .then((entry) => {
        entries.set(key, entry);
        return entry;
      })
      .finally(() => making.delete(key));
    making.set(key, made);
    return made;
  };

  /** The cached entry of a key, or a new one that does not expire, with more bytes. */
  const entryWith = <More extends Pick<Entry, 'segment' | 'text'>>(key: Key, more: More) => ({
    until: Number.POSITIVE_INFINITY,
    ...entries.get(key),
    ...more,
  });

  /** The deflated text of a list. */
  const segmentOf = (
    key: Key,
    makeText: () => Buffer,
  ): DeflatedSegment | Promise<DeflatedSegment> => {
    const entry = deflatedOf(key, async () => {
      const segment = await deflate(makeText);
      return entryWith(key, { segment });
    });
    return entry instanceof Promise ? entry.then(({ segment }) => segment) : entry.segment;
  };

  /**
   * The plain text of a list or a history. `segment` is the history to send, which may have been
   * re-read in the meantime.
   */
  const plainOf = (
    key: Key,
    chunks: () => readonly Buffer[],
    segment?: DeflatedSegment,
  ): readonly Buffer[] => {
    const entry = entries.get(key);
    if (segment !== undefined && entry?.segment !== segment) return chunks();
    if (entry?.text !== undefined) return [entry.text];
    key.sends += 1;
    if (key.sends < minSends) return chunks();
    key.sends = 0; // a text dropped from the cache is joined after 64 more sends
    const text = toOwnBytes(Buffer.concat(chunks()));
    entries.set(key, entryWith(key, { text }));
    return [text];
  };

  const createListText = (items: readonly object[], texts: readonly Buffer[]): ListText => {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const key: Key = { sends: 0 };
    return {
      items,
      length,
      plain: () => (texts.length < 2 ? texts : plainOf(key, () => texts)),
      deflated: () => segmentOf(key, () => Buffer.concat(texts, length)),
    };
  };

  /**
   * Lists of the same items share a text: a refresh leaves most lists unchanged, and filters that
   * exclude nothing give the same list.
   */
  const renderList = async ({ items, present }: List): Promise<ListText> => {
    const rendered: ItemText[] = [];
    for (const item of items) {
      const render = () => toOwnBytes(Buffer.from(`${JSON.stringify(present(item))},`));
      rendered.push(itemTexts(item, () => ({ text: render(), lists: [] }), present));
      if (rendered.length % itemsPerTurn === 0) await nextTurn();
    }
    const last = rendered.at(-1);
    const endAlike = last?.lists.filter((list) => list.deref() !== undefined) ?? [];
    const known = endAlike
      .map((list) => list.deref())
      .find((list) => list !== undefined && isSameList(list.items, items));
    if (known !== undefined) return known;
    const texts = rendered.map(({ text }, index) =>
      index === rendered.length - 1 ? text.subarray(0, -1) : text,
    );
    const made = createListText(items, texts);
    if (last !== undefined) last.lists = [...endAlike, new WeakRef(made)];
    return made;
  };

  /** A list of unshared items has one text, cached from the first send. */
  const renderOwnList = async ({ items, present }: List): Promise<CachedText> => {
    const key = keyOf(items, present);
    const render = async (): Promise<Buffer> => {
      const texts: string[] = [];
      for (const item of items) {
        texts.push(JSON.stringify(present(item)));
        if (texts.length % itemsPerTurn === 0) await nextTurn();
      }
      const made = toOwnBytes(Buffer.from(texts.join()));
      entries.set(key, entryWith(key, { text: made }));
      return made;
    };
    const text = entries.get(key)?.text ?? (await render());
    return {
      length: text.length,
      plain: () => [text],
      deflated: () => segmentOf(key, () => text),
    };
  };

  const loadHistory = async ({ item, load, present }: Detail) => {
    const key = keyOf(item, present);
    const make = async (): Promise<DeflatedEntry> => {
      const more = await load();
      const segment = await deflate(() => Buffer.from(JSON.stringify(present(item, more))));
      return {
        segment,
        until: more.complete ? Number.POSITIVE_INFINITY : clock.elapsed() + incompleteMs,
      };
    };
    const { segment, until } = await deflatedOf(key, make);
    return { key, segment, complete: until === Number.POSITIVE_INFINITY };
  };

  const renderDetail = async (member: Detail): Promise<Rendered> => {
    const { key, segment, complete } = await loadHistory(member);
    const text: CachedText = {
      length: segment.length,
      plain: () => plainOf(key, () => [inflateSegment(segment)], segment),
      deflated: () => segment,
    };
    return { parts: [text], complete };
  };

  /**
   * Loads all histories of a list before sending the first byte. They stay in memory until
   * `release`. Stops if the client disconnects.
   */
  const renderStream = async (
    { items, present }: Stream,
    { organizationId, isGone }: Client,
  ): Promise<Rendered> => {
    const release = openStream(organizationId);
    const parts: (Buffer | CachedText)[] = [];
    let complete = true;
    const lastStart = clock.elapsed() + maxLoadingMs;
    try {
      // One by one: with two at a time, ten lists of 0.5 MB histories need 70 MiB above idle; one
      // by one, 60.
      for (const [index, item] of items.entries()) {
        if (isGone()) break;
        if (clock.elapsed() > lastStart) throw tooSlow(index, items.length);
        const loaded = await loadHistory({ ...item, present });
        complete &&= loaded.complete;
        const { segment } = loaded;
        if (index > 0) parts.push(comma);
        parts.push({
          length: segment.length,
          plain: () => [inflateSegment(segment)],
          deflated: () => segment,
        });
      }
    } catch (failure) {
      release();
      throw failure;
    }
    return { parts, complete, release };
  };

  const renderMember = async (member: DeferredMember, client: Client): Promise<Rendered> => {
    if (member.kind === 'detail') return renderDetail(member);
    if (member.kind === 'stream') return renderStream(member, client);
    const text = member.sharesItems
      ? await lists(member.items, () => renderList(member), member.present)
      : await renderOwnList(member);
    return { parts: [text], complete: true };
  };

  /**
   * Renders an envelope: its fields in order, without those that are `undefined`. Rejects if a
   * history cannot be loaded. Rejects with `unavailable` if too many lists with history are being
   * sent, or if loading takes 20 s.
   */
  return async (envelope: Envelope, client: Client): Promise<Rendered> => {
    const parts: (Buffer | CachedText)[] = [];
    let complete = true;
    let release: Rendered['release'];
    let [text, separator] = ['{', ''];
    for (const [name, value] of Object.entries(envelope)) {
      if (value === undefined) continue;
      text += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (!isDeferredMember(value)) {
        text += JSON.stringify(value);
        continue;
      }
      const member = await renderMember(value, client);
      const [open, close] = value.kind === 'detail' ? ['', ''] : ['[', ']'];
      parts.push(Buffer.from(text + open), ...member.parts);
      complete &&= member.complete;
      release ??= member.release;
      text = close;
    }
    parts.push(Buffer.from(`${text}}`));
    return { parts, complete, release };
  };
};

export type Render = ReturnType<typeof createRenderer>;
