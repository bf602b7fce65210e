import { type Envelope, type Remember, Splice } from './form.ts';

/** A response body that is known in full. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

/** A response body: known in full, or sent while it is read. */
export type Body = Bytes | { readonly stream: AsyncIterable<Buffer> };

const comma = Buffer.from(',');

/**
 * Remembers the JSON text of items, as bytes, by presenter and by the item's identity: it is made once for each form and
 * each way of seeing an artist, and goes when the artist does.
 */
export const createMemory = (): Remember => {
  const byPresenter = new Map<unknown, WeakMap<object, Buffer>>();
  return (item, present) => {
    let memory = byPresenter.get(present);
    if (memory === undefined) {
      memory = new WeakMap();
      byPresenter.set(present, memory);
    }
    let bytes = memory.get(item);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(present(item)));
      memory.set(item, bytes);
    }
    return bytes;
  };
};

const isList = (pieces: readonly Buffer[] | AsyncIterable<Buffer>): pieces is readonly Buffer[] =>
  Array.isArray(pieces);

const separated = (pieces: readonly Buffer[]): Buffer[] =>
  pieces.flatMap((piece, place) => (place === 0 ? [piece] : [comma, piece]));

const lengthOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

/** Reads on behind a first item that is already there. */
async function* following(
  first: IteratorResult<Buffer, void>,
  rest: AsyncIterator<Buffer, void>,
): AsyncIterable<Buffer> {
  for (let next = first; !next.done; next = await rest.next()) {
    if (next !== first) yield comma;
    yield next.value;
  }
}

async function* inOrder(parts: readonly (Buffer | AsyncIterable<Buffer>)[]): AsyncIterable<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else yield* part;
  }
}

/**
 * The JSON text of an envelope: its members in order, unknown ones left out, spliced ones put together from the remembered
 * bytes of their items without copying them. Of a list that is read while it is sent, the first item is read here: what
 * cannot be read at all rejects before a byte has left.
 */
export const renderEnvelope = async (envelope: Envelope, remember: Remember): Promise<Body> => {
  const parts: (Buffer | AsyncIterable<Buffer>)[] = [];
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
    const pieces = value.pieces(remember);
    parts.push(Buffer.from(text + value.open));
    text = value.close;
    if (isList(pieces)) parts.push(...separated(pieces));
    else {
      const iterator: AsyncIterator<Buffer, void> = pieces[Symbol.asyncIterator]();
      parts.push(following(await iterator.next(), iterator));
    }
  }
  parts.push(Buffer.from(`${text}}`));
  const chunks = parts.filter((part) => Buffer.isBuffer(part));
  return chunks.length === parts.length ? { chunks, length: lengthOf(chunks) } : { stream: inOrder(parts) };
};

/** A body of one small value. */
export const renderValue = (value: object): Bytes => {
  const text = Buffer.from(JSON.stringify(value));
  return { chunks: [text], length: text.length };
};
