import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request } from './load/messages.ts';

/** One answer of the gateway, as it was recorded: what every later one must be as long as. */
export interface Recorded {
  readonly path: string;
  readonly body: Buffer;
  readonly etag: string | undefined;
}

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Asks a server once; the answer must be 200. */
export const ask = async (url: string, path: string, headers: Readonly<Record<string, string>>): Promise<Recorded> => {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity', ...headers } });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${String(body.subarray(0, 300))}`);
  return { path, body, etag: response.headers.get('etag') ?? undefined };
};

interface PageBody {
  readonly data: readonly unknown[];
  readonly meta: { readonly next_cursor: string | null };
}

export const parsePage = (body: Buffer): PageBody => {
  const page: PageBody = JSON.parse(String(body));
  return page;
};

/** Pages of fifty, one behind the other from the first, by following the cursors. */
export const recordPages = async (url: string, key: string, max: number, query = 'limit=50'): Promise<Recorded[]> => {
  const pages: Recorded[] = [];
  let cursor: string | null = '';
  while (cursor !== null && pages.length < max) {
    const path = `/api/v1/artists?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = await ask(url, path, bearer(key));
    pages.push(page);
    cursor = parsePage(page.body).meta.next_cursor;
  }
  return pages;
};

/** The requests that these answers came from. */
export const requestsFor = (recorded: readonly Recorded[], key: string): Request[] =>
  recorded.map(({ path, body }) => ({ path, headers: bearer(key), status: 200, length: body.length }));

/** The same requests of a client that has these answers: 304. */
export const revalidationsOf = (recorded: readonly Recorded[], key: string): Request[] =>
  recorded.map(({ path, etag = '' }) => ({
    path,
    headers: { ...bearer(key), 'If-None-Match': etag },
    status: 304,
    length: 0,
  }));

/** Puts answers into a folder as `0.json`, `1.json` …, for the peers to send. */
export const writeAnswers = async (folder: string, recorded: readonly Recorded[]): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await Promise.all(recorded.map(({ body }, index) => writeFile(join(folder, `${index}.json`), body)));
};

/** Asks a peer for everything that was recorded and compares. Throws when anything is not the same. */
export const assertSame = async (
  recorded: readonly Recorded[],
  askPeer: (index: number) => Promise<Recorded>,
  same: (ours: Buffer, theirs: Buffer) => boolean,
): Promise<void> => {
  for (const [index, { path, body }] of recorded.entries()) {
    const theirs = await askPeer(index);
    if (!same(body, theirs.body)) throw new Error(`${theirs.path} is not what the gateway says at ${path}`);
  }
};
