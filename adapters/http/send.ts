import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Body } from '../rendering/content-encoding.ts';
import type { Bytes } from '../rendering/render-envelope.ts';
import { announcesBody } from './request-checks.ts';

/**
 * What an answer is unless its own headers say otherwise. They are put together with `Object.assign`: to a literal that begins
 * with a spread and names members behind it V8 gives a new shape each time. To make one for each reply took longer than all
 * that Node does with headers, and left two kilobytes in the heap.
 */
const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** A response that is ready to be sent; a 304 has no body. What has no `Content-Type` is JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | undefined;
}

/** What became of a reply. */
export interface Sent {
  /** Bytes of its body that were handed to the connection. */
  readonly bytes: number;
  /** Why it ended before its time, from either side. */
  readonly failure?: unknown;
}

/** A client that takes longer for a reply than this (milliseconds), however steadily, is cut off. */
const longestMs = 120_000;

/** How long what a client still sends is let in and thrown away, in milliseconds. */
const lingerMs = 1_000;

/** Lets other requests have their turn between two artists: a fast client would otherwise keep the loop to itself. */
async function* yielding(stream: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncIterable<Buffer> {
  for await (const piece of stream) {
    count(piece.length);
    yield piece;
    await setImmediate();
  }
}

const premature = (): Error =>
  Object.assign(new Error('The connection ended before the response.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

/** Until the connection has taken the whole response, or is gone. */
const untilTaken = (response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (): void => (response.writableFinished ? resolve() : reject(premature()));
    if (response.destroyed) settle();
    else response.once('close', settle);
  });

/**
 * Closing while a client still sends resets the connection, and the client loses the answer with it. So the answer goes out
 * whole, and a moment passes before the end.
 */
const linger = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    request.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });

/** Sends bytes that are known, together with their length. */
const sendBytes = async (response: ServerResponse, { status, headers }: Reply, body: Bytes): Promise<void> => {
  response.writeHead(status, Object.assign({ 'Content-Length': String(body.length) }, json, headers));
  for (const chunk of body.chunks) response.write(chunk);
  if (announcesBody(response.req)) await linger(response.req);
  response.end();
};

/**
 * Sends a reply with one `writeHead`. Bytes that are known go out together; a stream goes out as fast as the client takes
 * it. Resolves when the client has taken it all, or with the failure: then the socket is destroyed, so that a cut answer can
 * never be taken for a whole one.
 */
export const send = async (response: ServerResponse, reply: Reply): Promise<Sent> => {
  const { status, headers, body } = reply;
  let bytes = 0;
  const limit = setTimeout(() => response.destroy(), longestMs);
  try {
    if (response.destroyed) throw premature();
    if (body === undefined) {
      response.writeHead(status, headers).end();
    } else if ('stream' in body) {
      response.writeHead(status, Object.assign({}, json, headers));
      const counted = yielding(body.stream, (length) => {
        bytes += length;
      });
      await pipeline(Readable.from(counted, { objectMode: false }), response);
    } else {
      bytes = response.req.method === 'HEAD' ? 0 : body.length;
      await sendBytes(response, reply, body);
    }
    await untilTaken(response);
    return { bytes };
  } catch (failure) {
    return { bytes, failure };
  } finally {
    clearTimeout(limit);
  }
};
