import { isArrayFile, notAnArray } from './collection-files.ts';
import type { DocumentIssue } from './parse-result.ts';

// Reads files of stored documents, for an import and for a gateway over files: `.json` has an
// array, `.ndjson` and `.jsonl` a document per line. Documents are located by byte and parsed one
// by one, so that each has its position.

/** The start of a document. Line and column (in bytes) count from 1. */
interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An unparsed document in a file. */
export interface RawDocument extends Omit<FilePosition, 'file'> {
  /** Its JSON text, a slice of the file's bytes. */
  readonly bytes: Buffer;
  /** Why there is no document: the rest of the file cannot be read. */
  readonly problem?: string;
}

type FoundDocuments = Generator<RawDocument | undefined>;

/** A document of a file, not yet checked. */
export interface FileDocument {
  readonly value: unknown;
  readonly position: FilePosition;
}

interface DocumentError extends FilePosition, DocumentIssue {}

/** The documents of a file, and an error for each part that is not JSON. */
interface DocumentFile {
  readonly documents: readonly FileDocument[];
  readonly errors: readonly DocumentError[];
}

/** A position on one line, for logs and messages: `artists.json line 31 column 3`. */
export const formatPosition = ({ file, line, column }: FilePosition): string =>
  `${file} line ${line} column ${column}`;

const [lineFeed, blank, quote, comma, bracket, backslash, bracketEnd, brace] = [
  0x0a, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b,
] as const;

const isBlank = (byte: number): boolean =>
  byte <= blank && (byte === blank || byte === lineFeed || byte === 0x0d || byte === 0x09);

/** Brackets and braces differ in one bit. */
const isOpening = (byte: number): boolean => (byte | 0x20) === 0x7b;
const isClosing = (byte: number): boolean => (byte | 0x20) === 0x7d;

const byteOrderMark = Buffer.from('\ufeff');

const startsWithMark = (bytes: Buffer, at: number): boolean =>
  bytes[at] === byteOrderMark[0] &&
  bytes.subarray(at, at + byteOrderMark.length).equals(byteOrderMark);

/**
 * Maximum bytes of a line that is checked for being blank. A longer line counts as a document,
 * which is too long.
 */
const maxBlankLine = 2 ** 20;

/** Maximum bytes scanned before a generator of documents yields `undefined`. */
const scanBytes = 2 ** 20;

const markInside = 'a byte order mark (U+FEFF) stands inside, where files were joined: remove it';

/** Yields the lines that are not blank, without byte order marks of joined files. */
function* contentLines(bytes: Buffer): FoundDocuments {
  let line = 1;
  let scanned = 0;
  for (let start = 0; start < bytes.length; line += 1) {
    const next = bytes.indexOf('\n', start);
    const end = next === -1 ? bytes.length : next;
    const content = bytes.subarray(
      startsWithMark(bytes, start) ? start + byteOrderMark.length : start,
      end,
    );
    if (content.length > maxBlankLine || !content.every(isBlank))
      yield { line, column: 1, bytes: content };
    start = end + 1;
    if (start < scanned + scanBytes) continue;
    scanned = start;
    yield undefined;
  }
}

const lastByte = (bytes: Buffer): number => {
  let at = bytes.length - 1;
  while (at > 0 && isBlank(bytes[at] ?? 0)) at -= 1;
  return bytes[at] ?? 0;
};
const firstByte = (bytes: Buffer): number => bytes.find((byte) => !isBlank(byte)) ?? 0;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const severalLines =
  'is a document over several lines: this file has one a line, make it so with jq -c (for an array jq -c ".[]")';

const commaAtEnd =
  'ends in a comma: this file has one document a line and nothing between them, make it so with sed -E "s/,[[:space:]]*$//"';

/**
 * Why a line, and probably most lines after it, is not a document; `next` is the following line.
 */
const lineProblem = ({ bytes }: RawDocument, next: RawDocument | undefined): string | undefined => {
  const [first, last] = [firstByte(bytes), lastByte(bytes)];
  if (bytes.length > maxBlankLine || !isOpening(first) || isClosing(last)) return undefined;
  if (next !== undefined && (first === bracket || firstByte(next.bytes) !== brace))
    return severalLines;
  const isComplete = last === comma && isJson(bytes.toString('utf8', 0, bytes.lastIndexOf(comma)));
  return isComplete ? commaAtEnd : undefined;
};

const empty =
  'is empty, as the file of a program that failed: write an empty collection as one line end, or as [] into a .json file';

/**
 * Yields the documents of a file with a document per line. Stops at a line that shows another
 * format: each further line would be an error.
 */
function* findLines(bytes: Buffer): FoundDocuments {
  if (bytes.length === 0) yield { line: 1, column: 1, bytes, problem: empty };
  let last: RawDocument | undefined;
  for (const found of contentLines(bytes)) {
    if (found === undefined) {
      yield undefined;
      continue;
    }
    if (last !== undefined) {
      const problem = lineProblem(last, found);
      if (problem !== undefined) return yield { ...last, bytes: bytes.subarray(0, 0), problem };
      yield last;
    }
    last = found;
  }
  if (last === undefined) return;
  const problem = lineProblem(last, undefined);
  yield problem === undefined ? last : { ...last, bytes: bytes.subarray(0, 0), problem };
}

/**
 * Yields the elements of a JSON array, and the first syntax error. Does not check inside elements.
 */
function* findElements(bytes: Buffer): FoundDocuments {
  let [line, lineStart, depth, start, scanned] = [1, 0, 0, -1, 0];
  let [isInText, isAfterComma, hasEnded] = [false, false, false];
  let begun = { line: 1, column: 1 };
  const failure = (problem: string): RawDocument => ({
    ...begun,
    bytes: bytes.subarray(0, 0),
    problem,
  });
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (at >= scanned + scanBytes) {
      scanned = at;
      yield undefined;
    }
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
      if (startsWithMark(bytes, at)) return yield failure(`is not JSON: ${markInside}`);
      if (byte !== bracket) return yield failure(notAnArray(bytes.toString('utf8', at, at + 256)));
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
  if (!hasEnded) yield failure(depth === 0 ? empty : 'is not JSON: the array does not end');
}

/**
 * Finds the documents of a file by its name, without parsing them. Ignores a byte order mark.
 * Yields `undefined` at least once per megabyte, so that other work can run.
 */
export const findDocuments = (bytes: Buffer, file: string): FoundDocuments => {
  const start = startsWithMark(bytes, 0) ? byteOrderMark.length : 0;
  return isArrayFile(file) ? findElements(bytes.subarray(start)) : findLines(bytes);
};

/** How Python writes numbers that are not finite. */
const noNumber = /[[:,\s]-?(?:NaN|Infinity)\s*[,\]}]/;

/**
 * The issue of a text that `JSON.parse` rejects, without the quoted part of the text, which may be
 * a key's.
 */
export const notJson = (error: unknown, text: string): DocumentIssue => {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split(
    /\n|, (?:\.{3})?"/,
  );
  if (/^(Unexpected token '[NI]'|No number after minus)/.test(reason) && noNumber.test(text))
    return { path: 'document', message: 'has NaN or Infinity: leave the member out' };
  const isMark = text.includes('\ufeff') && isJson(text.replaceAll('\ufeff', ''));
  return { path: 'document', message: `is not JSON: ${isMark ? markInside : reason}` };
};

/**
 * The fix for a text that is not UTF-8. Windows-1252 has quotes and dashes where Latin-1 has
 * control characters, and is otherwise the same, so converting from Latin-1 would be wrong.
 */
export const toUtf8 = 'convert the file, from Windows-1252 or Latin-1: iconv -f cp1252 -t utf-8';

/** Copies a JSON value and maps all texts except field names. */
export const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]),
  );
};

/** The escape of a surrogate. Only such an escape can make a text that is not well-formed. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses JSON. A lone surrogate reads as U+FFFD (decisions, "Freshness and caching"). */
const parseStored = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return surrogateEscape.test(text)
    ? mapTexts(value, (part) => Buffer.from(part).toString())
    : value;
};

export const parseDocumentFile = (bytes: Buffer, file: string): DocumentFile => {
  const documents: FileDocument[] = [];
  const errors: DocumentError[] = [];
  for (const found of findDocuments(bytes, file)) {
    if (found === undefined) continue;
    const { line, column, bytes: text, problem } = found;
    const position = { file, line, column };
    if (problem !== undefined) {
      errors.push({ ...position, path: 'document', message: problem });
      continue;
    }
    const content = text.toString();
    try {
      documents.push({ value: parseStored(content), position });
    } catch (error) {
      errors.push({ ...position, ...notJson(error, content) });
    }
  }
  return { documents, errors };
};
