import { isArrayFile, notAnArray } from './collection-files.ts';
import type { DocumentIssue } from './parse-result.ts';

// Reads files of stored documents, for an import and for a gateway over files: `.json` holds an
// array, `.ndjson` and `.jsonl` a document a line. Documents are found in the bytes of a file and
// parsed one by one, so that each has its position.

/** Where a document begins; line and column (in bytes) count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A document of a file that is not parsed yet. */
export interface RawDocument extends Omit<FilePosition, 'file'> {
  /** Its JSON text, a part of the bytes of the file. */
  readonly bytes: Buffer;
  /** Why there is none: the rest of the file cannot be read. */
  readonly problem?: string;
}

/** A document of a file, not yet checked. */
export interface FileDocument {
  readonly value: unknown;
  readonly position: FilePosition;
}

/** An issue of a document of a file, and the position of the document. */
interface DocumentError extends FilePosition, DocumentIssue {}

/** The documents of a file, and an error for every part that is not JSON. */
export interface DocumentFile {
  readonly documents: readonly FileDocument[];
  readonly errors: readonly DocumentError[];
}

/** A position in one line, as logs and messages show it: `artists.json line 31 column 3`. */
export const formatPosition = ({ file, line, column }: FilePosition): string =>
  `${file} line ${line} column ${column}`;

const [lineFeed, blank, quote, comma, bracket, backslash, bracketEnd] = [
  0x0a, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d,
] as const;

const isBlank = (byte: number): boolean =>
  byte <= blank && (byte === blank || byte === lineFeed || byte === 0x0d || byte === 0x09);

/** Brackets and braces differ in one bit. */
const isOpening = (byte: number): boolean => (byte | 0x20) === 0x7b;
const isClosing = (byte: number): boolean => (byte | 0x20) === 0x7d;

/** The documents of a file with one a line. Lines of blanks are none. */
function* findLines(bytes: Buffer): Generator<RawDocument> {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const next = bytes.indexOf('\n', start);
    const end = next === -1 ? bytes.length : next;
    const content = bytes.subarray(start, end);
    if (!content.every(isBlank)) yield { line, column: 1, bytes: content };
    start = end + 1;
  }
}

/**
 * The elements of a JSON array, and the first place at which it is none. What is inside an element
 * is not checked.
 */
function* findElements(bytes: Buffer): Generator<RawDocument> {
  let [line, lineStart, depth, start] = [1, 0, 0, -1];
  let [isInText, isAfterComma, hasEnded] = [false, false, false];
  let begun = { line: 1, column: 1 };
  const failure = (problem: string): RawDocument => ({
    ...begun,
    bytes: bytes.subarray(0, 0),
    problem,
  });
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
      continue;
    }
    if (byte === lineFeed) [line, lineStart] = [line + 1, at + 1];
    if (isBlank(byte)) continue;
    if (start === -1) begun = { line, column: at - lineStart + 1 };
    if (depth === 0) {
      if (hasEnded) return yield failure('is not JSON: there is more behind the array');
      if (byte !== bracket) return yield failure(notAnArray(bytes.toString('utf8', at, at + 1)));
      depth = 1;
      continue;
    }
    const isLast = byte === bracketEnd;
    if (depth === 1 && (byte === comma || isLast)) {
      if (start !== -1) yield { ...begun, bytes: bytes.subarray(start, at) };
      else if (!isLast || isAfterComma) return yield failure('is not JSON: an element is missing');
      [start, isAfterComma, hasEnded, depth] = [-1, !isLast, isLast, isLast ? 0 : 1];
      continue;
    }
    if (start === -1) start = at;
    if (byte === quote) isInText = true;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
  }
  if (!hasEnded)
    yield failure(depth === 0 ? notAnArray('') : 'is not JSON: the array does not end');
}

const byteOrderMark = Buffer.from('\ufeff');

/**
 * Finds the documents of a file by its name, without parsing them; a byte order mark is ignored.
 */
export const findDocuments = (bytes: Buffer, file: string): Generator<RawDocument> => {
  const content = bytes.subarray(bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0);
  return isArrayFile(file) ? findElements(content) : findLines(content);
};

/**
 * The issue of a text that `JSON.parse` refuses, without the part of the text that it quotes: that
 * may be one of a key.
 */
export const notJson = (error: unknown): DocumentIssue => {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split(
    /\n|, (?:\.{3})?"/,
  );
  return { path: 'document', message: `is not JSON: ${reason}` };
};

/** A copy of a JSON value in which every text, but no name of a member, is mapped. */
export const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]),
  );
};

/** The escape of a surrogate: only it can make a text that is not well-formed. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses JSON. A lone surrogate reads as U+FFFD (decisions, "Freshness and caching"). */
const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return surrogateEscape.test(text)
    ? mapTexts(value, (part) => Buffer.from(part).toString())
    : value;
};

/** Parses the documents of a file. */
export const parseDocumentFile = (bytes: Buffer, file: string): DocumentFile => {
  const documents: FileDocument[] = [];
  const errors: DocumentError[] = [];
  for (const { line, column, bytes: text, problem } of findDocuments(bytes, file)) {
    const position = { file, line, column };
    if (problem !== undefined) {
      errors.push({ ...position, path: 'document', message: problem });
      continue;
    }
    try {
      documents.push({ value: parseJson(text.toString()), position });
    } catch (error) {
      errors.push({ ...position, ...notJson(error) });
    }
  }
  return { documents, errors };
};
