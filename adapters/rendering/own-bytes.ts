/** Bytes that a buffer keeps in memory: all of the block that it is a part of. */
export const pinnedBytes = (bytes: Buffer): number => bytes.buffer.byteLength;

/**
 * The same bytes in a block of their own, to be cached. zlib hands out its whole output block of 16 KB for a small result, and
 * Node takes small buffers from a shared block of 8 KB, which is freed only when all of them are. Less than an eighth of spare
 * room is not worth a copy.
 */
export const toOwnBytes = (bytes: Buffer): Buffer => {
  if (pinnedBytes(bytes) - bytes.length <= bytes.length / 8) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
};

/** A text in UTF-8, in a block of its own. */
export const textBytes = (text: string): Buffer => {
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  own.write(text);
  return own;
};
