import type { ServerResponse } from 'node:http';
import { type LocalServer, openLocalServer } from './local-server.ts';

/** What may happen to an answer. `Retry-After` is 7 where it is sent. */
export const faults = {
  'a reset': (response) => void response.socket?.resetAndDestroy(),
  'a closed connection': (response) => void response.socket?.destroy(),
  'an answer that is cut': (response, answer) => {
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(answer) });
    response.write(answer.slice(0, 200), () => response.socket?.destroy());
  },
  'an answer in chunks that is cut': (response, answer) => {
    response.writeHead(200);
    response.write(answer.slice(0, 200), () => response.socket?.destroy());
  },
  'an answer that does not come': () => {},
  'an answer that does not end': (response, answer) => void response.writeHead(200).write(answer.slice(0, 200)),
  'a page of HTML': (response) => void response.writeHead(200).end('<!doctype html><title>Log in</title>'),
  '429': (response) => void response.writeHead(429, { 'Retry-After': '7' }).end('{"error":"later"}'),
  '503': (response) => void response.writeHead(503, { 'Retry-After': '7' }).end('{"error":"later"}'),
  '500 without Retry-After': (response) => void response.writeHead(500).end('{"error":"broken"}'),
  '502 of a proxy': (response) => void response.writeHead(502).end('<html>\n<h1>Bad gateway</h1>\n</html>'),
} satisfies Record<string, (response: ServerResponse, answer: string) => void>;

export interface FaultyServer extends LocalServer {
  /** When each request arrived, by `performance.now()`. */
  readonly arrivals: readonly number[];
}

/** Opens a server that lets a fault happen to its first answers, and then gives this answer. */
export const openFaultyServer = async (
  fault: keyof typeof faults,
  times: number,
  answer: string,
): Promise<FaultyServer> => {
  const arrivals: number[] = [];
  const server = await openLocalServer((_request, response) => {
    arrivals.push(performance.now());
    if (arrivals.length <= times) faults[fault](response, answer);
    else response.end(answer);
  });
  return { ...server, arrivals };
};
