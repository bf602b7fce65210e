import { printParseErrorCode, visit } from 'jsonc-parser';
import { isArrayFile, notAnArray } from './collection-files.ts';
import type { DocumentIssue } from './parse-result.ts';

// Reads files of stored documents: `.json` holds an array, `.ndjson` and `.jsonl` a document a line.
// jsonc-parser finds where the elements of an array begin. It takes about 17 ms per MB, twice as long as JSON.parse, and would
// make an embedded load 1.6 times as long. So it runs only when a position is needed, for an invalid document.

/** Where a document begins; line and column count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A document of a file, not yet checked. */
export interface FileDocument {
  readonly value: unknown;
  /** The first call for a file that holds an array scans its text. */
  position(): FilePosition;
}

/** An issue of a document of a file, and the position of the document. */
export interface DocumentError extends FilePosition, DocumentIssue {}

/** The documents of a file, and an error for every part that is not JSON. */
export interface DocumentFile {
  readonly documents: readonly FileDocument[];
  readonly errors: readonly DocumentError[];
}

/** A position in one line, as logs and messages show it: `artists.json line 31 column 3`. */
export const formatPosition = ({ file, line, column }: FilePosition): string => `${file} line ${line} column ${column}`;

/** An issue of the document at a position. */
const errorAt = (position: FilePosition, issue: DocumentIssue): DocumentError => ({ ...position, ...issue });

/** An element of a JSON array: its place in the text, in characters, and where it begins. */
export interface ElementSpan extends Pick<FilePosition, 'line' | 'column'> {
  readonly start: number;
  readonly end: number;
}

/** Why an array cannot be read, and where: something in it is not JSON, or an element is nested too deep. */
export interface ArrayFault extends Pick<FilePosition, 'line' | 'column'> {
  readonly reason: string;
}

/**
 * Finds the elements of a JSON array without parsing them, and the first place that cannot be read. Of more than `maxElements` it
 * returns one more than that.
 */
export const findElements = (
  text: string,
  maxElements = Number.POSITIVE_INFINITY,
): { readonly elements: ElementSpan[]; readonly error?: ArrayFault } => {
  const elements: ElementSpan[] = [];
  let error: ArrayFault | undefined;
  let depth = 0;
  let begun = { start: 0, line: 1, column: 1 };
  const enter = (start: number, line: number, character: number): void => {
    begun = { start, line: line + 1, column: character + 1 };
  };
  const add = (end: number): void => {
    if (elements.length <= maxElements) elements.push({ ...begun, end });
  };
  const begin = (offset: number, _length: number, line: number, character: number): boolean => {
    if (depth === 1) enter(offset, line, character);
    depth += 1;
    return depth === 1; // false skips what is inside an element
  };
  const end = (offset: number, length: number): void => {
    depth -= 1;
    if (depth === 1) add(offset + length);
  };
  try {
    visit(
      text,
      {
        onArrayBegin: begin,
        onArrayEnd: end,
        onObjectBegin: begin,
        onObjectEnd: end,
        onLiteralValue: (_value, offset, length, line, character) => {
          if (depth !== 1) return;
          enter(offset, line, character);
          add(offset + length);
        },
        onError: (code, _offset, _length, line, character) => {
          error ??= { reason: `is not JSON: ${printParseErrorCode(code)}`, line: line + 1, column: character + 1 };
        },
      },
      { disallowComments: true },
    );
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    // The scanner calls itself for each level, so some ten thousand levels fill the stack.
    error ??= { reason: 'is nested too deep to be read', line: begun.line, column: begun.column };
  }
  return { elements, ...(error && { error }) };
};

/** Where each element of a JSON array begins. The text must be valid JSON. */
export const elementPositions = (text: string, file: string): FilePosition[] =>
  findElements(text).elements.map(({ line, column }) => ({ file, line, column }));

/** The issue of a text that `JSON.parse` refuses. */
export const notJson = (error: unknown): DocumentIssue => {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return { path: 'document', message: `is not JSON: ${reason}` };
};

/** A copy of a JSON value in which every text, but no name of a member, is mapped. */
export const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]));
};

/** The escape of a surrogate: only it can make a text that is not well-formed. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses JSON. A lone surrogate reads as U+FFFD (decisions, "Freshness and caching"). */
const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return surrogateEscape.test(text) ? mapTexts(value, (part) => Buffer.from(part).toString()) : value;
};

const parseLines = (text: string, file: string): DocumentFile => {
  const documents: FileDocument[] = [];
  const errors: DocumentError[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const position = { file, line: index + 1, column: 1 };
    try {
      documents.push({ value: parseJson(line), position: () => position });
    } catch (error) {
      errors.push(errorAt(position, notJson(error)));
    }
  }
  return { documents, errors };
};

const parseArray = (text: string, file: string): DocumentFile => {
  const start: FilePosition = { file, line: 1, column: 1 };
  const fail = (issue: DocumentIssue): DocumentFile => ({ documents: [], errors: [errorAt(start, issue)] });
  let values: unknown;
  try {
    if (text.trimStart().startsWith('[')) values = parseJson(text);
  } catch (error) {
    return fail(notJson(error));
  }
  if (!Array.isArray(values)) return fail({ path: 'document', message: notAnArray(text) });
  let positions: FilePosition[] | undefined;
  const positionOf = (index: number): FilePosition => {
    positions ??= elementPositions(text, file);
    return positions[index] ?? start;
  };
  return {
    documents: values.map((value: unknown, index) => ({ value, position: () => positionOf(index) })),
    errors: [],
  };
};

/** Parses the text of a file by its name; a byte order mark is ignored. */
export const parseDocumentFile = (text: string, file: string): DocumentFile => {
  const parse = isArrayFile(file) ? parseArray : parseLines;
  return parse(text.replace(/^\ufeff/, ''), file);
};
