import { createGzipMember } from './gzip/gzip-member.ts';
import { totalLength } from './list-bodies.ts';
import type { Bytes, EnvelopePart, EnvelopeText } from './render-envelope.ts';

/** A response body: known in full, or made while it is sent, and released then. */
export type Body =
  | Bytes
  | { readonly stream: AsyncIterable<Buffer>; readonly release?: (() => void) | undefined };

/** In bytes. A shorter response fits into one packet uncompressed. */
const minCompressedLength = 1_400;

const bytesOf = (part: EnvelopePart): readonly Buffer[] =>
  Buffer.isBuffer(part) ? [part] : part.chunks();

async function* identityStream(parts: readonly EnvelopePart[]): AsyncIterable<Buffer> {
  for (const part of parts) yield* bytesOf(part);
}

/** The text as it is. */
export const identityBody = ({ parts, release }: EnvelopeText): Body => {
  if (release !== undefined) return { stream: identityStream(parts), release };
  const chunks: Buffer[] = [];
  // every page passes here, and `flatMap` is slow
  for (const part of parts) chunks.push(...bytesOf(part));
  return { chunks, length: totalLength(parts) };
};

/** The segments of a gzip member; `undefined` for a cached body that is not deflated yet. */
const gzipPart = (part: EnvelopePart) => (Buffer.isBuffer(part) ? part : part.deflated());

async function* gzipStream(parts: readonly EnvelopePart[]): AsyncIterable<Buffer> {
  const member = createGzipMember();
  for (const part of parts) {
    const deflated = gzipPart(part);
    yield* deflated === undefined
      ? bytesOf(part).flatMap((bytes) => member.add(bytes))
      : member.add(deflated);
  }
  yield member.end();
}

/**
 * The text as one gzip member, assembled from deflated segments and the few bytes around them.
 * `undefined` when the text is too short to be worth it, or when a part is not deflated yet: no
 * client waits for that.
 */
export const gzipBody = ({ parts, release }: EnvelopeText): Body | undefined => {
  if (release !== undefined) return { stream: gzipStream(parts), release };
  if (totalLength(parts) < minCompressedLength) return undefined;
  const encoded = parts.map(gzipPart);
  const deflated = encoded.filter((part) => part !== undefined);
  if (deflated.length < encoded.length) return undefined;
  const member = createGzipMember();
  const chunks = [...deflated.flatMap((part) => member.add(part)), member.end()];
  return { chunks, length: totalLength(chunks) };
};
