import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { longestWaitMs } from './wait.ts';

/** The text of a GET, with a key's text; without one none is sent. */
export const requestText = (target: string, key?: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

/** One response, as it was received. */
export interface WireReply {
  readonly status: number;
  /** Names in lower case; a header that was sent twice has both values, joined by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const readHead = (head: string): Pick<WireReply, 'status' | 'headers'> => {
  const [statusLine = '', ...fields] = head.split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5]\d\d) \S.*$/.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`not a status line: ${statusLine.slice(0, 100)}`);
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = /^([^:\s]+): (.*)$/.exec(field) ?? [];
    if (name === '') throw new Error(`not a header: ${field.slice(0, 100)}`);
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : `${before}\n${value}`;
  }
  return { status: Number(status), headers };
};

/**
 * Reads a chunked body that begins at `from`, and where it ends; `undefined` while it is
 * incomplete.
 */
const readChunks = (
  bytes: Buffer,
  from: number,
): { readonly body: Buffer; readonly end: number } | undefined => {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + length + 2;
    if (Number.isNaN(length) || bytes.length < end) return undefined;
    if (length === 0) return { body: Buffer.concat(pieces), end };
    pieces.push(bytes.subarray(line + 2, end - 2));
    at = end;
  }
};

/**
 * Reads the first response in the received bytes, and what follows it; `undefined` while it is
 * incomplete.
 */
const readReply = (
  bytes: Buffer,
  isBodiless: boolean,
): { reply: WireReply; rest: Buffer } | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = readHead(bytes.toString('latin1', 0, headEnd));
  const from = headEnd + 4;
  if (head.headers['transfer-encoding'] === 'chunked' && !isBodiless) {
    const read = readChunks(bytes, from);
    return (
      read && { reply: { ...head, text: read.body.toString() }, rest: bytes.subarray(read.end) }
    );
  }
  const length = isBodiless || head.status === 304 ? 0 : Number(head.headers['content-length']);
  if (Number.isNaN(length)) throw new Error('a response has neither Content-Length nor chunks');
  const end = from + length;
  return bytes.length < end
    ? undefined
    : { reply: { ...head, text: bytes.toString('utf8', from, end) }, rest: bytes.subarray(end) };
};

/** A raw TCP connection on which a test sends any bytes. */
export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /**
   * Waits for the next response; `bodiless` when it answers a HEAD. Rejects when the connection
   * ends before it is complete.
   */
  receive(options?: { readonly bodiless?: boolean }): Promise<WireReply>;
  /**
   * Waits until the other side closes; rejects after the timeout, and when it sent more than was
   * received.
   */
  closed(): Promise<void>;
  end(): void;
}

/**
 * The gateway closes in time, or after 10 s by the bound for headers, which would be another
 * reason. In milliseconds.
 */
const maxCloseMs = 8_000;

export const openWire = (port: number): Wire => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received: Buffer = Buffer.alloc(0);
  let isOver = false;
  let failure: Error | undefined;
  const progress = new EventEmitter();
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    progress.emit('change');
  });
  socket.on('error', (error) => {
    failure = error;
  });
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      isOver = true;
      progress.emit('change');
    });
  }

  const until = async <Result>(
    what: string,
    look: () => Result | undefined,
    withinMs: number,
  ): Promise<Result> => {
    const signal = AbortSignal.timeout(withinMs);
    for (;;) {
      const result = look();
      if (result !== undefined) return result;
      await once(progress, 'change', { signal }).catch(() => {
        throw new Error(
          `not within ${withinMs} ms: ${what}; so far: ${received.toString().slice(0, 200)}`,
        );
      });
    }
  };

  return {
    socket,
    send: (bytes) =>
      void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    receive: ({ bodiless = false } = {}) =>
      until(
        'a response',
        () => {
          const read = readReply(received, bodiless);
          if (read !== undefined) received = read.rest;
          else if (isOver)
            throw (
              failure ??
              new Error(`the connection ended after ${JSON.stringify(received.toString())}`)
            );
          return read?.reply;
        },
        longestWaitMs,
      ),
    async closed() {
      await until('the end', () => isOver || undefined, maxCloseMs);
      if (received.length > 0)
        throw new Error(`more was sent: ${received.toString().slice(0, 200)}`);
      socket.destroy();
    },
    end: () => void socket.destroy(),
  };
};
