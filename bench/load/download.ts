import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Asks once, over a connection of its own, and reads at most `bytesPerMs` of the body, without keeping it. The answer must be 200. */
export const download = async (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  bytesPerMs = Number.POSITIVE_INFINITY,
) => {
  const [response]: IncomingMessage[] = await once(get(url + path, { headers, agent: false }), 'response');
  if (response?.statusCode !== 200) throw new Error(`${path}: ${response?.statusCode}`);
  const begin = performance.now();
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    const early = bytes / bytesPerMs - (performance.now() - begin);
    if (early > 1) await wait(early);
  }
  const announced = response.headers['content-length'] !== undefined; // then the server had all of it beforehand
  return { bytes, announced };
};
