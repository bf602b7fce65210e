import { type DeferredMember, type Envelope, isDeferredMember, type StreamMember } from '../forms/envelope.ts';
import type { BodyCache, CachedBody } from './body-cache.ts';

/** A response body that is known in full. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

/** A part of an envelope's JSON text: made for this response, or from the cache. */
export type EnvelopePart = Buffer | CachedBody;

/** An envelope's JSON text in order: known in full, or loaded while it is sent. */
export type EnvelopeText =
  | { readonly parts: readonly EnvelopePart[] }
  | { readonly stream: AsyncIterable<EnvelopePart> };

const comma = Buffer.from(',');

/** The text before and after that of a deferred member. */
const brackets = { list: ['[', ']'], stream: ['[', ']'], detail: ['', ''] } as const;

const isStream = (part: EnvelopePart | AsyncIterable<EnvelopePart>): part is AsyncIterable<EnvelopePart> =>
  Symbol.asyncIterator in part;

async function* inOrder(parts: readonly (EnvelopePart | AsyncIterable<EnvelopePart>)[]): AsyncIterable<EnvelopePart> {
  for (const part of parts) {
    if (isStream(part)) yield* part;
    else yield part;
  }
}

async function* streamItems(
  first: CachedBody | undefined,
  { items, present }: StreamMember<unknown>,
  bodies: BodyCache,
): AsyncIterable<EnvelopePart> {
  if (first !== undefined) yield first;
  for (const item of items.slice(1)) {
    yield comma;
    yield await bodies.detail({ ...item, present });
  }
}

/** Loads the first item before anything is sent, so that a store that is down still becomes an error response. */
const startStream = async (member: StreamMember<unknown>, bodies: BodyCache): Promise<AsyncIterable<EnvelopePart>> => {
  const [item] = member.items;
  const first = item && (await bodies.detail({ ...item, present: member.present }));
  return streamItems(first, member, bodies);
};

const renderMember = (member: DeferredMember, bodies: BodyCache) => {
  switch (member.kind) {
    case 'list':
      return bodies.list(member);
    case 'detail':
      return bodies.detail(member);
    case 'stream':
      return startStream(member, bodies);
  }
};

/**
 * The JSON text of an envelope: its members in order, those that are `undefined` left out. Rejects before a byte is sent when
 * a detail, or the first item of a stream, cannot be loaded.
 */
export const renderEnvelope = async (envelope: Envelope, bodies: BodyCache): Promise<EnvelopeText> => {
  const parts: (EnvelopePart | AsyncIterable<EnvelopePart>)[] = [];
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
    parts.push(Buffer.from(text + open), await renderMember(value, bodies));
    text = close;
  }
  parts.push(Buffer.from(`${text}}`));
  const known = parts.filter((part): part is EnvelopePart => !isStream(part));
  return known.length === parts.length ? { parts: known } : { stream: inOrder(parts) };
};

/** A body of one small value. */
export const renderValue = (value: object): Bytes => {
  const text = Buffer.from(JSON.stringify(value));
  return { chunks: [text], length: text.length };
};
