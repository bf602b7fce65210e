import type { Request } from './load/messages.ts';

/** A recorded response. Later responses must have its length. */
export interface Recorded {
  readonly path: string;
  /** Not compressed. */
  readonly body: Buffer;
  readonly headers: Headers;
}

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** A request. The response must be 200 unless `expected` differs. */
export const get = (
  path: string,
  key: string,
  expected: Partial<Omit<Request, 'path'>> = {},
): Request => ({
  path,
  headers: bearer(key),
  status: 200,
  ...expected,
});

/** The same request with gzip. Its response has another length. */
export const gzipped = ({ path, headers, status }: Request): Request => ({
  path,
  status,
  headers: { ...headers, 'Accept-Encoding': 'gzip' },
});

/** Sends a request. The response must be 200. */
export const ask = async (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Recorded> => {
  const response = await fetch(url + path, {
    headers: { 'Accept-Encoding': 'identity', ...headers },
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200)
    throw new Error(`${path}: ${response.status} ${String(body.subarray(0, 300))}`);
  return { path, body, headers: response.headers };
};

interface PageBody {
  readonly data: readonly unknown[];
  readonly meta: { readonly next_cursor: string | null };
}

export const parsePage = (body: Buffer): PageBody => JSON.parse(String(body));

/** Pages from the first, by cursors. */
export const recordPages = async (
  url: string,
  key: string,
  { max = Number.POSITIVE_INFINITY, query = 'limit=50' } = {},
): Promise<Recorded[]> => {
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

export const requestsFor = (recorded: readonly Recorded[], key: string): Request[] =>
  recorded.map(({ path, body }) => get(path, key, { length: body.length }));

/** Requests each path. Returns requests with the length of their responses. */
export const recordRequests = async (
  url: string,
  paths: readonly string[],
  key: string,
): Promise<Request[]> => {
  const recorded: Recorded[] = [];
  for (const path of paths) recorded.push(await ask(url, path, bearer(key)));
  return requestsFor(recorded, key);
};

/** The same requests with `If-None-Match`: 304. */
export const revalidationsOf = (recorded: readonly Recorded[], key: string): Request[] =>
  recorded.map(({ path, headers }) => {
    const conditional = { ...bearer(key), 'If-None-Match': headers.get('etag') ?? '' };
    return get(path, key, { headers: conditional, status: 304, length: 0 });
  });
