import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Body } from '../rendering/body.ts';
import { announcesBody } from './request-checks.ts';

const json = 'application/json; charset=utf-8';

/**
 * A response that is ready to be sent. A 304 has no body; without a `Content-Type` the body is
 * JSON.
 */
export interface Reply {
  readonly status: number;
  /** A separate object per reply: `send` adds the type and length of the body. */
  readonly headers: Record<string, string>;
  readonly body: Body | undefined;
}

export interface SendResult {
  /** Body bytes handed to the connection. */
  readonly bytes: number;
  /** Why the reply was not sent completely; `undefined` after success. */
  readonly failure?: unknown;
}

/**
 * Maximum duration of a stream, in milliseconds, even if the client reads steadily: streams hold
 * one of a few slots.
 */
const maxStreamMs = 120_000;

/** How long an unread request body is received and discarded, in milliseconds. */
const maxLingerMs = 1_000;

/** Waits a turn after each chunk. Without this, fast clients delay all other requests. */
async function* yielding(
  stream: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncIterable<Buffer> {
  for await (const chunk of stream) {
    count(chunk.length);
    yield chunk;
    await nextTurn();
  }
}

const premature = (): Error =>
  Object.assign(new Error('The connection ended before the response.'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  });

/**
 * Resolves when the response is written to the connection; rejects if the connection closes first.
 */
const waitUntilSent = (response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (): void => (response.writableFinished ? resolve() : reject(premature()));
    if (response.destroyed) settle();
    else response.once('close', settle);
  });

/**
 * Waits at most `maxLingerMs` for the end of the request's body. Closing while a client still sends
 * resets the connection, and the client loses the response.
 */
const linger = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, maxLingerMs);
    request.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });

/**
 * Resets a connection. An HTTP/1.0 client would read a normal close as the end of a complete
 * response.
 */
const reset = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy();

/**
 * Sends a reply with one `writeHead`, and a stream as fast as the client reads it. Resolves when
 * the reply is written to the connection, or with the failure; never rejects. Resets the connection
 * after a failure.
 */
export const send = async (response: ServerResponse, reply: Reply): Promise<SendResult> => {
  const { status, headers, body } = reply;
  let bytes = 0;
  try {
    if (response.destroyed) throw premature();
    if (body === undefined) {
      response.writeHead(status, headers).flushHeaders();
    } else if ('stream' in body) {
      headers['Content-Type'] ??= json;
      response.writeHead(status, headers);
      const counted = yielding(body.stream, (length) => {
        bytes += length;
      });
      await pipeline(Readable.from(counted, { objectMode: false }), response, {
        end: false,
        signal: AbortSignal.timeout(maxStreamMs),
      });
    } else {
      bytes = response.req.method === 'HEAD' ? 0 : body.length;
      headers['Content-Type'] ??= json;
      headers['Content-Length'] = String(body.length);
      response.writeHead(status, headers);
      for (const chunk of body.chunks) response.write(chunk);
    }
    // Most requests have no body, so there is nothing to wait for.
    if (announcesBody(response.req)) await linger(response.req);
    response.end();
    await waitUntilSent(response);
    return { bytes };
  } catch (failure) {
    reset(response);
    return { bytes, failure };
  } finally {
    if (body !== undefined && 'stream' in body) body.release?.();
  }
};
