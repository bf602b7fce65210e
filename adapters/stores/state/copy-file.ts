import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeOwnFolder, orUndefined, writeOwnFile } from './own-file.ts';

// A copy is a text file: a line of JSON that says what it is, lines of JSON, and the checksum of all lines before it.

/** Changes whenever a gateway of before could not read what is written now, or would read it wrongly. */
export const formatVersion = 3;

const format = 'artist-gateway copy';

/** What a copy is of, and when its source answered. */
export interface CopyHeader {
  /** What the file holds. */
  readonly unit: string;
  /** The source that answered, without a password. */
  readonly source: string;
  /** The gateway's version, which decides how documents are read. */
  readonly program: string;
  /** When the source answered, epoch milliseconds. */
  readonly answeredAt: number;
  /** The checksum of the copy that a stamp belongs to. */
  readonly of?: string;
}

/** A copy that was read. */
export interface Copy {
  readonly header: CopyHeader;
  /** Identifies the file. */
  readonly checksum: string;
  /** The lines between the first and the checksum. */
  rows(): Iterable<string>;
}

/** Why a file is not read as a copy; the message says it in words. */
export class UnusableCopy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableCopy';
  }
}

/** Bytes of a chunk: what is made in one turn of the event loop, a fraction of a millisecond of work. */
const chunkBytes = 32 * 1024;

const newline = 10;
const checksumLength = 64;
const lastLine = (checksum: string): string => `sha256 ${checksum}\n`;
const lastLineLength = lastLine('0'.repeat(checksumLength)).length;

/** Writes a copy in place of the former one and returns its checksum. Rejects, as `writeOwnFile` does, with the former one kept. */
export const writeCopy = async (path: string, header: CopyHeader, rows: Iterable<string>): Promise<string> => {
  const digest = createHash('sha256');
  let checksum = '';
  const chunks = function* (): Iterable<Buffer> {
    let text = `${JSON.stringify({ format, version: formatVersion, ...header })}\n`;
    for (const row of rows) {
      text += `${row}\n`;
      if (text.length < chunkBytes) continue;
      const chunk = Buffer.from(text);
      digest.update(chunk);
      yield chunk;
      text = '';
    }
    checksum = digest.update(text).digest('hex');
    yield Buffer.from(text + lastLine(checksum));
  };
  await makeOwnFolder(dirname(path));
  await writeOwnFile(path, chunks());
  return checksum;
};

/** Opening waits for no writer of a pipe, and follows no link. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** The bytes of a regular file. Rejects for one that another user than `owner` owns or may write to: an attacker could have added keys. */
export const readOwn = async (path: string, owner = process.getuid?.()): Promise<Buffer> => {
  const handle = await open(path, readFlags).catch((failure: NodeJS.ErrnoException) => {
    throw failure.code === 'ELOOP' ? new UnusableCopy('it is not a regular file') : failure;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new UnusableCopy('it is not a regular file');
    if (owner !== undefined && found.uid !== owner) throw new UnusableCopy('another user owns it');
    if ((found.mode & 0o022) !== 0) throw new UnusableCopy('other users may write to it');
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

/** The first line, unless the file is something else. */
const parseFirst = (line: string): CopyHeader & { readonly format: unknown; readonly version: unknown } => {
  try {
    const parsed = JSON.parse(line);
    if (parsed?.format === format) return parsed;
  } catch {
    // said below
  }
  throw new UnusableCopy('not a copy file');
};

const parseCopy = (bytes: Buffer): Copy => {
  const start = bytes.indexOf(newline) + 1;
  const end = bytes.length - lastLineLength;
  const { format: _, version, ...header } = parseFirst(bytes.toString('utf8', 0, start));
  if (version !== formatVersion)
    throw new UnusableCopy(`it has format ${version}, this version reads ${formatVersion}`);
  const checksum = end < start ? '' : hash('sha256', bytes.subarray(0, end), 'hex');
  if (bytes.toString('utf8', Math.max(end, 0)) !== lastLine(checksum)) throw new UnusableCopy('its checksum is wrong');
  return { header, checksum, rows: () => linesOf(bytes, start, end) };
};

/** Reads a copy; `undefined` without a file. Rejects with `UnusableCopy`, or as the file system does. */
export const readCopy = async (path: string, readBytes = readOwn): Promise<Copy | undefined> => {
  const bytes = await orUndefined(readBytes(path));
  return bytes && parseCopy(bytes);
};
