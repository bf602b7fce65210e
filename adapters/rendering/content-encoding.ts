import { type PageBody, totalLength } from './cached-bodies.ts';
import { createGzipMember } from './gzip/gzip-member.ts';
import type { Bytes, EnvelopePart, EnvelopeText } from './render-envelope.ts';

/** A response body: known in full, or made while it is sent, and released then. */
export type Body = Bytes | { readonly stream: AsyncIterable<Buffer>; readonly release?: (() => void) | undefined };

/** In bytes. A shorter response fits into one packet uncompressed. */
const minCompressedLength = 1_400;

type KnownPart = Exclude<EnvelopePart, PageBody>;

const isKnown = (part: EnvelopePart): part is KnownPart => !('load' in part);

/** Bytes of a list in pages that are inflated in one step, in 2 ms. */
const maxPagedLength = 1_000_000;

/** The parts when all of them are in memory and none has to be released; `undefined` when they are sent one by one. */
const knownParts = ({ parts, release }: EnvelopeText): readonly KnownPart[] | undefined => {
  if (release !== undefined) return undefined;
  const known: KnownPart[] = [];
  for (const part of parts) {
    const body = isKnown(part) ? part : part.cached();
    if (body === undefined) return undefined;
    known.push(body);
  }
  return totalLength(known) <= maxPagedLength || parts.every(isKnown) ? known : undefined;
};

const bytesOf = (part: KnownPart): readonly Buffer[] => (Buffer.isBuffer(part) ? [part] : part.chunks());

async function* identityStream(parts: readonly EnvelopePart[]): AsyncIterable<Buffer> {
  for (const part of parts) yield* bytesOf(isKnown(part) ? part : await part.load());
}

/** The text as it is. */
export const identityBody = (text: EnvelopeText): Body => {
  const known = knownParts(text);
  if (known === undefined) return { stream: identityStream(text.parts), release: text.release };
  const chunks: Buffer[] = [];
  for (const part of known) chunks.push(...bytesOf(part)); // every page passes here, and `flatMap` is slow
  return { chunks, length: totalLength(known) };
};

/** The segments of a gzip member; `undefined` for a cached body that is not deflated yet. */
const gzipPart = (part: KnownPart) => (Buffer.isBuffer(part) ? part : part.deflated());

async function* gzipStream(parts: readonly EnvelopePart[]): AsyncIterable<Buffer> {
  const member = createGzipMember();
  for (const part of parts) {
    const known = isKnown(part) ? part : await part.load();
    const deflated = gzipPart(known);
    yield* deflated === undefined ? bytesOf(known).flatMap((bytes) => member.add(bytes)) : member.add(deflated);
  }
  yield member.end();
}

/**
 * The text as one gzip member, assembled from deflated segments and the few bytes around them. `undefined` when the text is
 * too short to be worth it, or when a part is not deflated yet: no client waits for that.
 */
export const gzipBody = (text: EnvelopeText): Body | undefined => {
  const known = knownParts(text);
  if (known === undefined) return { stream: gzipStream(text.parts), release: text.release };
  if (totalLength(known) < minCompressedLength) return undefined;
  const encoded = known.map(gzipPart);
  const deflated = encoded.filter((part) => part !== undefined);
  if (deflated.length < encoded.length) return undefined;
  const member = createGzipMember();
  const chunks = [...deflated.flatMap((part) => member.add(part)), member.end()];
  return { chunks, length: totalLength(chunks) };
};
