import type { FileHandle } from 'node:fs/promises';
import { isArrayFile, notAnArray } from '../stores/documents/collection-files.ts';
import { findElements } from '../stores/documents/document-file.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { type InputFile, withInputFile } from './input-files.ts';
import { isDocument, maxStoredBytes, notStored, omit, toStored } from './stored-document.ts';

/** A document of a file that is not parsed yet. */
export interface RawDocument {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly column: number;
  /** Its place in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Absent when it is too long to be read. */
  readonly bytes?: Buffer;
  /** Why it cannot be a document. */
  readonly problem?: string;
}

const tooLong = `is longer than ${maxStoredBytes / 2 ** 20} MB, the longest document that MongoDB stores`;

/** Elements of an array file: 67 bytes each in the longest file. Each takes some 200 bytes of memory while it is read. */
const maxElements = 1_000_000;

const tooMany = `has more than ${maxElements} elements. Write one document a line: jq -c ".[]" FILE.json > FILE.ndjson`;

/** Elements of an array that are read at once. */
const elementsAtOnce = 1_000;

/** Bytes read at once. */
const chunkBytes = 2 ** 20;

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

/** Whether a line has nothing but JSON's white space (RFC 8259, section 2). */
const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

const rawLine = (bytes: Buffer, line: number, offset: number): RawDocument[] => {
  const mark = offset === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const content = bytes.subarray(mark);
  return isBlank(content) ? [] : [{ line, column: 1, offset: offset + mark, length: content.length, bytes: content }];
};

/**
 * Reads a file with a document a line, one chunk after the other. Memory holds a chunk and one line; the bytes of a document
 * are overwritten when the next are asked for.
 */
async function* readLines(handle: FileHandle): AsyncGenerator<readonly RawDocument[]> {
  let [line, offset, at] = [1, 0, 0];
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let begun: Buffer[] = []; // the parts of a line that does not end in its chunk
  let isTooLong = false;
  const endLine = (part: Buffer): RawDocument[] => {
    const bytes = begun.length === 0 ? part : Buffer.concat([...begun, part]);
    const length = at - offset;
    const raws = isTooLong ? [{ line, column: 1, offset, length, problem: tooLong }] : rawLine(bytes, line, offset);
    [begun, isTooLong] = [[], false];
    return raws;
  };
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const raws: RawDocument[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      at += end - start;
      raws.push(...endLine(chunk.subarray(start, end)));
      at += 1;
      [line, offset, start] = [line + 1, at, end + 1];
    }
    at += bytesRead - start;
    if (at - offset > maxStoredBytes) [begun, isTooLong] = [[], true];
    else if (start < bytesRead) begun.push(Buffer.from(chunk.subarray(start)));
    yield raws;
  }
  yield endLine(Buffer.alloc(0));
}

/**
 * Reads a file that holds one array, as a whole. As Latin-1 each byte is a character, so places in the text are places in
 * the file; all characters that structure JSON are ASCII.
 */
async function* readArray(handle: FileHandle): AsyncGenerator<readonly RawDocument[]> {
  const bytes = await handle.readFile();
  const mark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const text = bytes.toString('latin1', mark);
  const start: RawDocument = { line: 1, column: 1, offset: 0, length: 0 };
  if (!text.trimStart().startsWith('[')) {
    yield [{ ...start, problem: notAnArray(text) }];
    return;
  }
  const { elements, error } = findElements(text, maxElements);
  if (error !== undefined) {
    yield [{ ...start, line: error.line, column: error.column, problem: error.reason }];
    return;
  }
  if (elements.length > maxElements) {
    yield [{ ...start, problem: tooMany }];
    return;
  }
  for (let first = 0; first < elements.length; first += elementsAtOnce) {
    yield elements.slice(first, first + elementsAtOnce).map(({ start: from, end, line, column }) => {
      const offset = mark + from;
      return { line, column, offset, length: end - from, bytes: bytes.subarray(offset, mark + end) };
    });
  }
}

/** Reads the documents of a file, some at once. */
export const readDocuments = (handle: FileHandle, path: string): AsyncGenerator<readonly RawDocument[]> =>
  isArrayFile(path) ? readArray(handle) : readLines(handle);

/** Where a document of the input is. */
export interface DocumentPlace extends Pick<RawDocument, 'line' | 'column' | 'offset' | 'length'> {
  readonly file: InputFile;
}

export type ReadDocument = (place: DocumentPlace) => StoredDocument;

/** Reads documents that were checked before, as they are to be stored. Rejects when a file changed since. */
export const readPlaces = async (places: readonly DocumentPlace[]): Promise<ReadDocument> => {
  const documents = new Map<DocumentPlace, StoredDocument>();
  for (const file of new Set(places.map((place) => place.file))) {
    await withInputFile(file, async (handle) => {
      for (const place of places) {
        if (place.file !== file) continue;
        const { buffer } = await handle.read(Buffer.allocUnsafe(place.length), 0, place.length, place.offset);
        const value: unknown = JSON.parse(buffer.toString('utf8'));
        if (!isDocument(value)) throw new Error(`${file.path}: was changed while it was read. Run the command again.`);
        documents.set(place, toStored(omit(value, notStored[file.collection])));
      }
    });
  }
  return (place) => documents.get(place) ?? {};
};
