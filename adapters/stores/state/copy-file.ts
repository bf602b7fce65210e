import { createHash, hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { recentDays } from '../../../src/catalogue/movements.ts';
import { makeOwnFolder, orUndefined, removeLeftovers, writeOwnFile } from '../../files/own-file.ts';

// A copy is two files: `NAME-….ndjson` has the rows, and `NAME.json` has the name of that file, its
// contents and the time of the source's last reply. `NAME.json` is written second, and again while
// the source has nothing new, so a killed process always leaves a complete pair.

/**
 * The number changes if older gateways cannot read the format. The days are part of it because they
 * decide the length of series.
 */
export const formatVersion = `6, ${recentDays} days`;
const header = z.object({
  format: z.string(),
  unit: z.string(),
  /** The source, without a password. */
  source: z.string(),
  /** When the source last replied, epoch milliseconds. */
  answeredAt: z.number(),
  /** The file with the rows, in the same folder, and its digest. */
  file: z.string().regex(/^[a-z]+-[0-9a-f-]{36}\.ndjson$/),
  sha256: z.string(),
});
export type CopyHeader = Omit<z.infer<typeof header>, 'format'>;
export type CopyRowsFile = Pick<CopyHeader, 'file' | 'sha256'>;

/** A copy that was read. */
interface Copy {
  readonly header: CopyHeader;
  rows(): Iterable<string>;
}

const headerOf = (path: string): string => `${path}.json`;

/** Bytes per turn of the event loop: a fraction of a millisecond of work. */
const chunkBytes = 32 * 1024;

/** Writes rows to a new file; the previous file stays. */
export const writeRows = async (path: string, rows: Iterable<string>): Promise<CopyRowsFile> => {
  const digest = createHash('sha256');
  const chunks = function* (): Iterable<string> {
    let text = '';
    for (const row of rows) {
      text += `${row}\n`;
      if (text.length < chunkBytes) continue;
      digest.update(text);
      yield text;
      text = '';
    }
    digest.update(text);
    yield text;
  };
  await makeOwnFolder(dirname(path));
  const file = `${basename(path)}-${randomUUID()}.ndjson`;
  await writeOwnFile(join(dirname(path), file), chunks());
  return { file, sha256: digest.digest('hex') };
};

/**
 * Replaces the header atomically, and deletes previous rows. Resolves to true if its own rows still
 * exist.
 */
export const writeHeader = async (path: string, given: CopyHeader): Promise<boolean> => {
  await writeOwnFile(headerOf(path), [`${JSON.stringify({ format: formatVersion, ...given })}\n`]);
  const [folder, unit] = [dirname(path), basename(path)];
  const isRows = (name: string): boolean => /^(.+)-.{36}\.ndjson$/.exec(name)?.[1] === unit;
  await removeLeftovers(folder, isRows);
  const rows = (await readdir(folder)).filter(isRows);
  for (const name of rows) if (name !== given.file) await rm(join(folder, name), { force: true });
  return rows.includes(given.file);
};

/** Opening does not wait for the writer of a pipe, and follows no link. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads a regular file. Rejects if a user other than `owner` owns it or may write to it: an
 * attacker could have added keys.
 */
const readOwn = async (path: string, owner = process.getuid?.()): Promise<Buffer> => {
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

function* linesOf(bytes: Buffer): Iterable<string> {
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf('\n', from);
    yield bytes.toString('utf8', from, to);
    from = to + 1;
  }
}

const parseHeader = (text: string): CopyHeader => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('not a copy file');
  }
  const { data } = header.safeParse(parsed);
  if (data === undefined) throw new Error('not a copy file');
  const { format, ...found } = data;
  if (format === formatVersion) return found;
  throw new Error(`it has format ${format}, this version reads ${formatVersion}`);
};

/**
 * Reads the copy of a user, by user id; `undefined` without a copy. Rejects with the reason if it
 * is not usable, or with the file system's error.
 */
export const readCopy = async (path: string, owner?: number): Promise<Copy | undefined> => {
  const text = await orUndefined(readOwn(headerOf(path), owner));
  if (text === undefined) return undefined;
  const found = parseHeader(text.toString());
  const bytes = await readOwn(join(dirname(path), found.file), owner);
  if (hash('sha256', bytes, 'hex') !== found.sha256) throw new Error('its checksum is wrong');
  return { header: found, rows: () => linesOf(bytes) };
};
