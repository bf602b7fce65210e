import type { DeflatedSegment } from './gzip/deflated-segment.ts';
import { createGzipMember } from './gzip/gzip-member.ts';
import type { CachedText, Rendered } from './render.ts';

/** A response body that is known in full. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

/** A response body: known in full, or streamed and released afterwards. */
export type Body =
  | Bytes
  | { readonly stream: AsyncIterable<Buffer>; readonly release?: (() => void) | undefined };

/** In bytes. A shorter response fits into one packet uncompressed. */
const minGzipLength = 1_400;

const lengthOf = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** A body of one small value. */
export const renderValue = (value: object): Bytes => {
  const text = Buffer.from(JSON.stringify(value));
  return { chunks: [text], length: text.length };
};

const plain = (part: Buffer | CachedText): readonly Buffer[] =>
  Buffer.isBuffer(part) ? [part] : part.plain();

const deflated = (part: Buffer | CachedText) => (Buffer.isBuffer(part) ? part : part.deflated());

async function* streamPlain(parts: Rendered['parts']): AsyncIterable<Buffer> {
  for (const part of parts) yield* plain(part);
}

async function* streamGzip(parts: Rendered['parts']): AsyncIterable<Buffer> {
  const member = createGzipMember();
  for (const part of parts) yield* member.add(await deflated(part));
  yield member.end();
}

/** True if a body is compressed for clients that accept gzip. */
export const isWorthGzip = ({ parts, release }: Rendered): boolean =>
  release !== undefined || lengthOf(parts) >= minGzipLength;

/** The uncompressed text. */
export const plainBody = ({ parts, release }: Rendered): Body => {
  if (release !== undefined) return { stream: streamPlain(parts), release };
  const chunks: Buffer[] = [];
  // Not `flatMap`, which is slow: every page runs this.
  for (const part of parts) chunks.push(...plain(part));
  return { chunks, length: lengthOf(parts) };
};

/** The text as one gzip member, made of deflated lists and histories and the bytes between them. */
export const gzipBody = async ({ parts, release }: Rendered): Promise<Body> => {
  if (release !== undefined) return { stream: streamGzip(parts), release };
  const member = createGzipMember();
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const bytes: Buffer | DeflatedSegment | Promise<DeflatedSegment> = deflated(part);
    chunks.push(...member.add(bytes instanceof Promise ? await bytes : bytes));
  }
  chunks.push(member.end());
  return { chunks, length: lengthOf(chunks) };
};
