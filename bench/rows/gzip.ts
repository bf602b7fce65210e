import { setTimeout as wait } from 'node:timers/promises';
import { ask, bearer, parsePage, type Recorded } from '../answers.ts';
import { compare, rateLine } from '../load/compare.ts';
import type { Row } from '../row.ts';
import { type PagedGateway, startPaged } from './gateways.ts';

/** The gateway compresses in the background; it has this long until all pages are compressed. */
const timeoutMs = 20_000;

const recordCompressed = async (
  { url, recorded }: PagedGateway,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Recorded[]> => {
  const begin = performance.now();
  while (performance.now() - begin < timeoutMs) {
    const answers = await Promise.all(recorded.map(({ path }) => ask(url, path, headers)));
    if (answers.every((answer) => answer.headers.get('content-encoding') === 'gzip')) return answers;
    await wait(250);
  }
  throw new Error(`at least one page was still sent without Content-Encoding: gzip after ${timeoutMs} ms`);
};

const dataOf = ({ body }: Recorded): string => JSON.stringify(parsePage(body).data);

export const gzip: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const headers = { ...bearer(bench.keys.current), 'Accept-Encoding': 'gzip' };
  const answers = await recordCompressed(gateway, headers);
  if (answers.map(dataOf).join() !== gateway.recorded.map(dataOf).join())
    throw new Error('a page has other text when it is compressed');
  const requests = gateway.requests.map(({ path, status, length = 0 }) => ({
    path,
    status,
    headers,
    maxLength: Math.floor(length / 2), // an uncompressed page fails the row
  }));
  const seen = await compare(bench, { ...gateway, name: 'gzip', requests }, { ...gateway, name: 'identity' });
  const sent = answers.reduce((sum, answer) => sum + Number(answer.headers.get('content-length')), 0);
  const whole = gateway.recorded.reduce((sum, { body }) => sum + body.length, 0);
  const what = 'page of 50 to a client that accepts gzip, against the same uncompressed';
  return [rateLine(what, seen, { atLeast: 1.3 }, [`${Math.round((sent / whole) * 100)} % of the bytes`])];
};
