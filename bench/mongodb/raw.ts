import { BSON, type Document } from 'mongodb';

/** BSON that is put together of what was written before: a stored document is written once, however often it is sent. */
export type Raw = Buffer;

const kinds = { document: 3, array: 4 } as const;

const written = new WeakMap<Document, Raw>();

/** A document's bytes; the same as the last time for the same document. */
export const rawOf = (document: Document): Raw => {
  const raw = written.get(document) ?? Buffer.from(BSON.serialize(document, { ignoreUndefined: true }));
  written.set(document, raw);
  return raw;
};

const element = (kind: keyof typeof kinds, name: string, value: Raw): Raw =>
  Buffer.concat([Buffer.from([kinds[kind]]), Buffer.from(`${name}\0`), value]);

const withLength = (elements: readonly Raw[]): Raw => {
  const raw = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
  raw.writeInt32LE(raw.length);
  return raw;
};

/** A list of documents. */
export const listOf = (documents: readonly Raw[]): Raw =>
  withLength(documents.map((raw, index) => element('document', String(index), raw)));

/** A document with one more member at its end. */
export const withMember = (document: Raw, kind: keyof typeof kinds, name: string, value: Raw): Raw =>
  withLength([document.subarray(4, -1), element(kind, name, value)]);
