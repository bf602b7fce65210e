import { createHash, hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { recentDays } from '../../../src/catalogue/movements.ts';
import { makeOwnFolder, orUndefined, removeLeftovers, writeOwnFile } from '../../files/own-file.ts';

// A copy is two files: `NAME-….ndjson` has its rows, and `NAME.json` says which file that is, what
// is in it, and when the source last answered so. The second is written after the first, and anew
// while the source has nothing new: whenever the process is killed, one names the other.

/**
 * The number changes whenever a previous gateway could not read what is written now. The days are
 * the rule for the length of series: a copy by another rule is not read.
 */
export const formatVersion = `6, ${recentDays} days`;
const header = z.object({
  format: z.string(),
  /** What the copy holds. */
  unit: z.string(),
  /** The source that answered, without a password. */
  source: z.string(),
  /** When it last answered so, epoch milliseconds. */
  answeredAt: z.number(),
  /** The file with the rows, beside this one, and its digest. */
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

/** Made in one turn of the event loop, a fraction of a millisecond of work, in bytes. */
const chunkBytes = 32 * 1024;

/** Writes rows beside former ones. */
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

/** Writes what the rows are, and removes former ones. Resolves to whether its own are still there. */
export const writeHeader = async (path: string, given: CopyHeader): Promise<boolean> => {
  await writeOwnFile(headerOf(path), [`${JSON.stringify({ format: formatVersion, ...given })}\n`]);
  const [folder, unit] = [dirname(path), basename(path)];
  const isRows = (name: string): boolean => /^(.+)-.{36}\.ndjson$/.exec(name)?.[1] === unit;
  await removeLeftovers(folder, isRows);
  const rows = (await readdir(folder)).filter(isRows);
  for (const name of rows) if (name !== given.file) await rm(join(folder, name), { force: true });
  return rows.includes(given.file);
};

/** Opening waits for no writer of a pipe, and follows no link. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * The bytes of a regular file. Rejects for one that another user than `owner` owns or may write to:
 * an attacker could have added keys.
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
 * Reads a copy of a user, by its number; `undefined` without one. Rejects with why it is not
 * usable, in words, or as the file system does.
 */
export const readCopy = async (path: string, owner?: number): Promise<Copy | undefined> => {
  const text = await orUndefined(readOwn(headerOf(path), owner));
  if (text === undefined) return undefined;
  const found = parseHeader(text.toString());
  const bytes = await readOwn(join(dirname(path), found.file), owner);
  if (hash('sha256', bytes, 'hex') !== found.sha256) throw new Error('its checksum is wrong');
  return { header: found, rows: () => linesOf(bytes) };
};
