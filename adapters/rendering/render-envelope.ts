import { type DeferredMember, type Envelope, isDeferredMember } from '../forms/envelope.ts';
import type { BodyCache, Reader } from './body-cache.ts';
import type { CachedBody } from './body-store.ts';

/** A response body that is known in full. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

/** A part of an envelope's JSON text: made for this response, or from the cache. */
export type EnvelopePart = Buffer | CachedBody;

/** An envelope's JSON text. */
export interface EnvelopeText {
  readonly parts: readonly EnvelopePart[];
  /**
   * Set when the text is too long to be in memory as a whole and its parts are held: they are sent
   * one by one, then released.
   */
  readonly release?: (() => void) | undefined;
  /** Whether everything that was loaded for it could be read. */
  readonly complete: boolean;
}

const comma = Buffer.from(',');

/** The text before and after that of a deferred member. */
const brackets = { list: ['[', ']'], stream: ['[', ']'], detail: ['', ''] } as const;

const withCommas = (bodies: readonly CachedBody[]): EnvelopePart[] =>
  bodies.flatMap((body, index) => (index === 0 ? [body] : [comma, body]));

/**
 * Renders a member: at once when it is a list of items that others hold too, which loads nothing.
 */
const renderMember = (
  member: DeferredMember,
  bodies: BodyCache,
  reader: Reader,
): EnvelopeText | Promise<EnvelopeText> => {
  switch (member.kind) {
    case 'list':
      if (member.sharesItems) return { parts: [bodies.list(member)], complete: true };
      return bodies.ownList(member).then((body) => ({ parts: [body], complete: true }));
    case 'detail':
      return bodies.detail(member).then((body) => ({ parts: [body], complete: body.complete }));
    case 'stream':
      return bodies.details(member, reader).then(({ bodies: parts, release }) => ({
        parts: withCommas(parts),
        release,
        complete: parts.every(({ complete }) => complete),
      }));
  }
};

/**
 * The JSON text of an envelope: its members in order, those that are `undefined` left out. Rejects
 * when a detail, or an item of a stream, cannot be loaded. Nothing is complete once the reader
 * `isGone`: loading ends then.
 */
export const renderEnvelope = async (
  envelope: Envelope,
  bodies: BodyCache,
  reader: Reader,
): Promise<EnvelopeText> => {
  const parts: EnvelopePart[] = [];
  let release: EnvelopeText['release'];
  let complete = true;
  let text = '{';
  let separator = '';
  for (const [name, value] of Object.entries(envelope)) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!isDeferredMember(value)) {
      text += JSON.stringify(value);
      continue;
    }
    const [open, close] = brackets[value.kind];
    const rendering = renderMember(value, bodies, reader);
    const rendered = rendering instanceof Promise ? await rendering : rendering;
    parts.push(Buffer.from(text + open), ...rendered.parts);
    release = rendered.release ?? release;
    complete &&= rendered.complete;
    text = close;
  }
  parts.push(Buffer.from(`${text}}`));
  return { parts, release, complete };
};

/** A body of one small value. */
export const renderValue = (value: object): Bytes => {
  const text = Buffer.from(JSON.stringify(value));
  return { chunks: [text], length: text.length };
};
