import { totalLength } from './body-cache.ts';
import { createGzipMember } from './gzip/gzip-member.ts';
import type { Bytes, EnvelopePart, EnvelopeText } from './render-envelope.ts';

/** A response body: known in full, or sent while it is loaded. */
export type Body = Bytes | { readonly stream: AsyncIterable<Buffer> };

/** In bytes. A shorter response fits into one packet uncompressed. */
const minCompressedLength = 1_400;

const bytesOf = (part: EnvelopePart): readonly Buffer[] => (Buffer.isBuffer(part) ? [part] : part.chunks());

async function* identityStream(stream: AsyncIterable<EnvelopePart>): AsyncIterable<Buffer> {
  for await (const part of stream) yield* bytesOf(part);
}

/** The text as it is. */
export const identityBody = (text: EnvelopeText): Body => {
  if ('stream' in text) return { stream: identityStream(text.stream) };
  const chunks: Buffer[] = [];
  for (const part of text.parts) chunks.push(...bytesOf(part)); // every page passes here, and `flatMap` is slow
  return { chunks, length: totalLength(text.parts) };
};

/** The segments of a gzip member; `undefined` for a cached body that is not deflated yet. */
const gzipPart = (part: EnvelopePart) => (Buffer.isBuffer(part) ? part : part.deflated());

async function* gzipStream(stream: AsyncIterable<EnvelopePart>): AsyncIterable<Buffer> {
  const member = createGzipMember();
  for await (const part of stream) {
    const deflated = gzipPart(part);
    yield* deflated === undefined ? bytesOf(part).flatMap((bytes) => member.add(bytes)) : member.add(deflated);
  }
  yield member.end();
}

/**
 * The text as one gzip member, assembled from deflated segments and the few bytes around them. `undefined` when the text is
 * too short to be worth it, or when a part is not deflated yet: no client waits for that.
 */
export const gzipBody = (text: EnvelopeText): Body | undefined => {
  if ('stream' in text) return { stream: gzipStream(text.stream) };
  if (totalLength(text.parts) < minCompressedLength) return undefined;
  const deflated = text.parts.map(gzipPart);
  const parts = deflated.filter((part) => part !== undefined);
  if (parts.length < deflated.length) return undefined;
  const member = createGzipMember();
  const chunks = [...parts.flatMap((part) => member.add(part)), member.end()];
  return { chunks, length: totalLength(chunks) };
};
