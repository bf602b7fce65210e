import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** A body that was read and not kept. */
export interface Download {
  readonly bytes: number;
  /** Whether its length was told beforehand: then the server had all of it. */
  readonly announced: boolean;
}

const open = (url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, { headers, agent: false }, resolve).on('error', reject));

/** Reads an answer of 200 to its end, at most `bytesPerMs`. Rejects when it is cut short. */
export const download = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  bytesPerMs = Number.POSITIVE_INFINITY,
): Promise<Download> => {
  const response = await open(url, headers);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  const begin = performance.now();
  let bytes = 0;
  for await (const piece of response) {
    bytes += Buffer.byteLength(piece);
    const early = bytes / bytesPerMs - (performance.now() - begin);
    if (early > 1) await wait(early);
  }
  return { bytes, announced: response.headers['content-length'] !== undefined };
};
