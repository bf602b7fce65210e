import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Body } from './render.ts';

/** A response that is ready to be sent; a 304 has no body. What has no `Content-Type` is JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | undefined;
}

/** Lets other requests have their turn between two artists: a fast client would otherwise keep the loop to itself. */
async function* yielding(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  for await (const piece of stream) {
    yield piece;
    await setImmediate();
  }
}

/**
 * Sends a reply with one `writeHead`. Bytes that are known go out together, with their length; a stream goes out as fast as
 * the client takes it. Rejects when a stream ends before its time, from either side; the socket is destroyed then, so that
 * a cut answer can never be taken for a whole one.
 */
export const send = async (response: ServerResponse, { status, headers, body }: Reply): Promise<void> => {
  if (body === undefined) {
    response.writeHead(status, headers);
    response.end();
    return;
  }
  if ('stream' in body) {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' });
    await pipeline(Readable.from(yielding(body.stream), { objectMode: false }), response);
    return;
  }
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    ...headers,
    'Content-Length': String(body.length),
  });
  for (const chunk of body.chunks) response.write(chunk);
  response.end();
};
