import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  makeOwnFolder,
  orUndefined,
  overwriteOwnFile,
  writeOwnFile,
} from '../../files/own-file.ts';

// A copy is a text file: a line of JSON that says what it is, lines of JSON, and the checksum of
// all before it but when the source answered. That stands at its beginning, twice and in a fixed
// width, and is written over while the source has nothing new.

/**
 * Changes whenever a gateway of before could not read what is written now, or would read it
 * wrongly.
 */
export const formatVersion = 4;

const format = 'artist-gateway copy';

interface CopyHeader {
  /** What the file holds. */
  readonly unit: string;
  /** The source that answered, without a password. */
  readonly source: string;
  /** The gateway's version, which decides how documents are read. */
  readonly program: string;
}

/** A copy that was read. */
interface Copy {
  readonly header: CopyHeader;
  /** When the source last answered so, epoch milliseconds. */
  readonly answeredAt: number;
  /** The lines between the first and the checksum. */
  rows(): Iterable<string>;
}

/**
 * Bytes of a chunk: what is made in one turn of the event loop, a fraction of a millisecond of
 * work.
 */
const chunkBytes = 32 * 1024;

const newline = 10;
const checksumLength = 64;
const lastLine = (checksum: string): string => `sha256 ${checksum}\n`;
const lastLineLength = lastLine('0'.repeat(checksumLength)).length;

const beginning = '{"answeredAt":"';
const instantDigits = 16;
const instantText = (instant: number): string => {
  const digits = String(Math.trunc(instant)).padStart(instantDigits, '0');
  return `${digits} ${digits}`;
};
const checkedFrom = beginning.length + instantText(0).length;

/**
 * Writes a copy in place of the former one. Rejects, as `writeOwnFile` does, with the former one
 * kept.
 */
export const writeCopy = async (
  path: string,
  header: CopyHeader,
  answeredAt: number,
  rows: Iterable<string>,
): Promise<void> => {
  const digest = createHash('sha256');
  const chunks = function* (): Iterable<Buffer | string> {
    yield beginning + instantText(answeredAt);
    let text = `",${JSON.stringify({ format, version: formatVersion, ...header }).slice(1)}\n`;
    for (const row of rows) {
      text += `${row}\n`;
      if (text.length < chunkBytes) continue;
      const chunk = Buffer.from(text);
      digest.update(chunk);
      yield chunk;
      text = '';
    }
    yield text + lastLine(digest.update(text).digest('hex'));
  };
  await makeOwnFolder(dirname(path));
  await writeOwnFile(path, chunks());
};

/**
 * Writes into the copy when the source last answered so. Resolves to `false` when it is not there,
 * or not as it was written.
 */
export const touchCopy = (path: string, answeredAt: number): Promise<boolean> =>
  overwriteOwnFile(path, beginning.length, instantText(answeredAt)).then(
    () => true,
    () => false,
  );

/** Opening waits for no writer of a pipe, and follows no link. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * The bytes of a regular file. Rejects for one that another user than `owner` owns or may write to:
 * an attacker could have added keys.
 */
export const readOwn = async (path: string, owner = process.getuid?.()): Promise<Buffer> => {
  const handle = await open(path, readFlags).catch((failure: NodeJS.ErrnoException) => {
    throw failure.code === 'ELOOP' ? new Error('it is not a regular file') : failure;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (owner !== undefined && found.uid !== owner) throw new Error('another user owns it');
    if ((found.mode & 0o022) !== 0) throw new Error('other users may write to it');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
};

function* linesOf(bytes: Buffer, start: number, end: number): Iterable<string> {
  for (let from = start; from < end; ) {
    const to = bytes.indexOf(newline, from);
    yield bytes.toString('utf8', from, to);
    from = to + 1;
  }
}

interface FirstLine extends CopyHeader {
  readonly format: unknown;
  readonly version: unknown;
  readonly answeredAt: unknown;
}

/** The first line, unless the file is something else. */
const parseFirst = (line: string): FirstLine => {
  try {
    const parsed = JSON.parse(line);
    if (parsed?.format === format) return parsed;
  } catch {
    // said below
  }
  throw new Error('not a copy file');
};

const parseCopy = (bytes: Buffer): Copy => {
  const start = bytes.indexOf(newline) + 1;
  const end = bytes.length - lastLineLength;
  const {
    format: _,
    version,
    answeredAt: text,
    ...header
  } = parseFirst(bytes.toString('utf8', 0, start));
  if (version !== formatVersion)
    throw new Error(`it has format ${version}, this version reads ${formatVersion}`);
  const answeredAt = Number(String(text).slice(0, instantDigits));
  const checksum = end < start ? '' : hash('sha256', bytes.subarray(checkedFrom, end), 'hex');
  const isWhole = bytes.toString('utf8', Math.max(end, 0)) === lastLine(checksum);
  if (!isWhole || instantText(answeredAt) !== text) throw new Error('its checksum is wrong');
  return { header, answeredAt, rows: () => linesOf(bytes, start, end) };
};

/**
 * Reads a copy; `undefined` without a file. Rejects with why it is not usable, in words, or as the
 * file system does.
 */
export const readCopy = async (path: string, readBytes = readOwn): Promise<Copy | undefined> => {
  const bytes = await orUndefined(readBytes(path));
  return bytes && parseCopy(bytes);
};
