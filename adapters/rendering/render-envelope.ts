import { type Envelope, Splice } from '../forms/form.ts';
import type { BodyCache, CachedJson, Pieces } from './cached-json.ts';

/** A response body that is known in full. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

/** A piece of an envelope's JSON text: written for this response, or kept. */
export type Piece = Buffer | CachedJson;

/** An envelope's JSON text in order: known in full, or read while it is sent. */
export type Text = { readonly pieces: readonly Piece[] } | { readonly stream: AsyncIterable<Piece> };

const comma = Buffer.from(',');

/** Bytes of all pieces together. */
export const totalLength = (pieces: readonly { readonly length: number }[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

const isThere = (pieces: Pieces): pieces is CachedJson => 'chunks' in pieces;

const isStream = <Item>(pieces: Pieces | Piece | AsyncIterable<Item>): pieces is AsyncIterable<Item> =>
  Symbol.asyncIterator in pieces;

/** Reads on behind a first item that is already there. */
async function* following(
  first: IteratorResult<CachedJson, void>,
  rest: AsyncIterator<CachedJson, void>,
): AsyncIterable<Piece> {
  for (let next = first; !next.done; next = await rest.next()) {
    if (next !== first) yield comma;
    yield next.value;
  }
}

async function* inOrder(parts: readonly (Piece | AsyncIterable<Piece>)[]): AsyncIterable<Piece> {
  for (const part of parts) {
    if (isStream(part)) yield* part;
    else yield part;
  }
}

/** Of pieces that are read while they are sent, the first is read here: what cannot be read at all rejects in time. */
const begin = async (pieces: Exclude<Pieces, CachedJson>): Promise<CachedJson | AsyncIterable<Piece>> => {
  if (!isStream(pieces)) return pieces;
  const iterator: AsyncIterator<CachedJson, void> = pieces[Symbol.asyncIterator]();
  return following(await iterator.next(), iterator);
};

/**
 * The JSON text of an envelope: its members in order, unknown ones left out, spliced ones put together from what the memory
 * keeps. Rejects when something has to be read that cannot be, before a byte has left.
 */
export const renderEnvelope = async (envelope: Envelope, memory: BodyCache): Promise<Text> => {
  const parts: (Piece | AsyncIterable<Piece>)[] = [];
  let text = '{';
  let between = '';
  for (const [name, value] of Object.entries(envelope)) {
    if (value === undefined) continue;
    text += `${between}${JSON.stringify(name)}:`;
    between = ',';
    if (!(value instanceof Splice)) {
      text += JSON.stringify(value);
      continue;
    }
    const pieces = value.pieces(memory);
    parts.push(Buffer.from(text + value.open), isThere(pieces) ? pieces : await begin(pieces));
    text = value.close;
  }
  parts.push(Buffer.from(`${text}}`));
  const pieces = parts.filter((part): part is Piece => !isStream(part));
  return pieces.length === parts.length ? { pieces } : { stream: inOrder(parts) };
};

/** A body of one small value. */
export const renderValue = (value: object): Bytes => {
  const text = Buffer.from(JSON.stringify(value));
  return { chunks: [text], length: text.length };
};
