import { setTimeout as wait } from 'node:timers/promises';

/** Asks once and reads at most `bytesPerMs` of the body, without keeping it; the answer must be 200. */
export const download = async (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  bytesPerMs = Number.POSITIVE_INFINITY,
) => {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'identity', ...headers } });
  if (response.status !== 200 || response.body === null) throw new Error(`${path}: ${response.status}`);
  const begin = performance.now();
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    const early = bytes / bytesPerMs - (performance.now() - begin);
    if (early > 1) await wait(early);
  }
  const announced = response.headers.has('content-length'); // then the server had all of it beforehand
  return { bytes, announced };
};
