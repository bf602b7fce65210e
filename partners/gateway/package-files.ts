import * as fs from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

// Replaces `node:fs` and `node:fs/promises` in the modules that read files of the package, which the
// bundle has in memory. Other paths are read from the disk.

/** Texts by path in the package, as JSON, gzip and base64. */
declare const packedFiles: string;

const bundle = fileURLToPath(import.meta.url);
/** One of the files is the bundle itself. */
const ownPath = 'dist/site/docs/clients/artist-gateway.mjs';

let unpacked: ReadonlyMap<string, string> | undefined;
const files = (): ReadonlyMap<string, string> => {
  unpacked ??= new Map(
    Object.entries(JSON.parse(String(gunzipSync(Buffer.from(packedFiles, 'base64'))))),
  );
  return unpacked;
};

const packed = (path: unknown): string | undefined => {
  const text = String(path);
  if (!text.startsWith(bundle + sep)) return undefined;
  return relative(bundle, text).split(sep).join(posix.sep);
};

const notFound = (path: string): Error =>
  Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });

const pathsBelow = (folder: string): readonly string[] =>
  [...files().keys(), ownPath].filter((path) => path.startsWith(`${folder}/`));

const isFile = (path: string): boolean => path === ownPath || files().has(path);

const reading = {
  existsSync(path: fs.PathLike): boolean {
    const own = packed(path);
    return own === undefined ? fs.existsSync(path) : isFile(own) || pathsBelow(own).length > 0;
  },
  /** With `withFileTypes` all files below the folder, as with `recursive`. */
  readdirSync(path: fs.PathLike, options?: { readonly withFileTypes: true }) {
    const own = packed(path);
    if (own === undefined) return fs.readdirSync(path);
    const below = pathsBelow(own);
    const found = below.map((file) => ({
      name: posix.basename(file),
      parentPath: join(bundle, posix.dirname(file)),
      isFile: () => true,
    }));
    if (options !== undefined) return found;
    return [...new Set(below.map((file) => file.slice(own.length + 1).split('/')[0] ?? ''))];
  },
  readFileSync(path: fs.PathOrFileDescriptor, encoding?: BufferEncoding): string | Buffer {
    const own = packed(path);
    if (own === undefined) return fs.readFileSync(path, encoding);
    if (own === ownPath) return fs.readFileSync(bundle, encoding);
    const text = files().get(own);
    if (text === undefined) throw notFound(own);
    return encoding === undefined ? Buffer.from(text) : text;
  },
  statSync(path: fs.PathLike): Pick<fs.Stats, 'isFile' | 'size'> {
    const own = packed(path);
    if (own === undefined) return fs.statSync(path);
    if (!isFile(own)) throw notFound(own);
    return { isFile: () => true, size: files().get(own)?.length ?? 0 };
  },
};

export const { existsSync, readdirSync, readFileSync, statSync } = reading;
export const readFile = async (path: fs.PathLike) => reading.readFileSync(path);
export const readdir = async (path: fs.PathLike) => reading.readdirSync(path);
export const stat = async (path: fs.PathLike) => reading.statSync(path);
