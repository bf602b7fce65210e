import { createGzipMember } from './gzip/gzip-member.ts';
import { type Bytes, type Piece, type Text, totalLength } from './render-envelope.ts';

/** A response body: known in full, or sent while it is read. */
export type Body = Bytes | { readonly stream: AsyncIterable<Buffer> };

/** A shorter answer fits into one packet as it is. */
const worthCompressing = 1_400;

const bytesOf = (piece: Piece): readonly Buffer[] => (Buffer.isBuffer(piece) ? [piece] : piece.chunks());

async function* plainStream(stream: AsyncIterable<Piece>): AsyncIterable<Buffer> {
  for await (const piece of stream) yield* bytesOf(piece);
}

/** A body as it is. */
export const identityBody = (text: Text): Body => {
  if ('stream' in text) return { stream: plainStream(text.stream) };
  const chunks: Buffer[] = [];
  for (const piece of text.pieces) chunks.push(...bytesOf(piece)); // every page passes here, and `flatMap` is slow
  return { chunks, length: totalLength(text.pieces) };
};

/** What goes into a gzip member; `undefined` for text that has not been deflated yet. */
const packedOf = (piece: Piece) => (Buffer.isBuffer(piece) ? piece : piece.deflated());

async function* gzipStream(stream: AsyncIterable<Piece>): AsyncIterable<Buffer> {
  const member = createGzipMember();
  for await (const piece of stream) {
    const packed = packedOf(piece);
    yield* packed === undefined ? bytesOf(piece).flatMap((bytes) => member.add(bytes)) : member.add(packed);
  }
  yield member.end();
}

/**
 * A body as one gzip member, put together from what is kept deflated and of the little that is not. `undefined` when it is
 * not worth it, or when most of it has not been deflated yet: nobody waits for that.
 */
export const gzipBody = (text: Text): Body | undefined => {
  if ('stream' in text) return { stream: gzipStream(text.stream) };
  if (totalLength(text.pieces) < worthCompressing) return undefined;
  const packed = text.pieces.map(packedOf);
  const parts = packed.filter((part) => part !== undefined);
  if (parts.length < packed.length) return undefined;
  const member = createGzipMember();
  const chunks = [...parts.flatMap((part) => member.add(part)), member.end()];
  return { chunks, length: totalLength(chunks) };
};
