import { connect } from 'node:net';
import type { Request } from './messages.ts';

/** The bytes of a request. */
export interface Prepared {
  readonly bytes: Buffer;
  readonly request: Request;
}

export const prepare = (request: Request): Prepared => {
  const headers = Object.entries({ Host: '127.0.0.1', ...request.headers });
  const lines = [
    `GET ${request.path} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  return { bytes: Buffer.from(lines.join('\r\n')), request };
};

/** What is read of the head of a response. */
interface Head {
  readonly status: number;
  /** Bytes of the body; `NaN` when it is sent in chunks. */
  readonly length: number;
  readonly closes: boolean;
}

const readHead = (text: string): Head => {
  const status = Number(text.slice(9, 12));
  const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
  return { status, length, closes: /\r\nconnection: close/i.test(text) };
};

/** Throws if a response is not as expected. */
const assertExpected = ({ status, length }: Head, request: Request): void => {
  const { length: wanted = length } = request;
  if (status === request.status && Object.is(length, wanted)) return;
  throw new Error(
    `${request.path}: ${status} with ${length} bytes, not ${request.status} with ${wanted}`,
  );
};

const endOfHead = '\r\n\r\n';

/** In bytes. */
const maxHeadLength = 4_096;

/** All connections read into the same bytes, which are not kept. */
const shared = Buffer.allocUnsafe(256 * 1024);

/** A request, and what was read of its response. */
interface Asked {
  readonly request: Request;
  readonly resolve: () => void;
  readonly reject: (failure: unknown) => void;
  text: string;
  head?: Head;
  /** Of the body, with the framing of chunks. */
  bytes: number;
  /** The last bytes of a body in chunks. */
  tail: string;
}

const lastChunk = '\r\n0\r\n\r\n';

/**
 * Reads the next bytes of a response and counts its body. Returns true if it is complete. Throws if
 * it is wrong.
 */
const readAnswer = (asked: Asked, length: number): boolean => {
  let bodyLength = length;
  if (asked.head === undefined) {
    const before = asked.text.length;
    asked.text += shared.toString('latin1', 0, Math.min(length, maxHeadLength));
    const end = asked.text.indexOf(endOfHead);
    if (end === -1) return false;
    asked.head = readHead(asked.text.slice(0, end + 2));
    assertExpected(asked.head, asked.request);
    bodyLength = length - (end + endOfHead.length - before);
  }
  asked.bytes += bodyLength;
  if (Number.isNaN(asked.head.length)) {
    const read = shared.toString('latin1', length - Math.min(bodyLength, lastChunk.length), length);
    asked.tail = (asked.tail + read).slice(-lastChunk.length);
    return asked.tail === lastChunk;
  }
  if (asked.bytes > asked.head.length) throw new Error('more bytes than Content-Length');
  return asked.bytes === asked.head.length;
};

/**
 * Opens a keep-alive connection to a loopback port. It sends one request at a time and does not
 * store responses. Other clients use more processor time than the gateway.
 */
export const openConnection = async (port: number) => {
  let asked: Asked | undefined;
  let isOpen = true;

  const fail = (failure: unknown): void => {
    isOpen = false;
    socket.destroy();
    asked?.reject(failure);
  };

  const read = (length: number): boolean => {
    try {
      if (asked === undefined) throw new Error('a response without a request');
      if (!readAnswer(asked, length)) return true;
      const { head, resolve } = asked;
      asked = undefined;
      if (head?.closes) fail(undefined);
      resolve();
    } catch (failure) {
      fail(failure);
    }
    return true;
  };
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: shared, callback: read },
  });
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  );
  socket.on('error', fail);
  socket.once('close', () => fail(new Error('the connection ended')));

  return {
    /** Resolves when the response is complete. Rejects if it is not as expected. */
    ask: ({ bytes, request }: Prepared) =>
      new Promise<void>((resolve, reject) => {
        asked = { request, resolve, reject, text: '', bytes: 0, tail: '' };
        socket.write(bytes);
      }),
    /** True if it can send another request. */
    isOpen: () => isOpen,
    close: () => fail(new Error('closed')),
  };
};

export type Connection = Awaited<ReturnType<typeof openConnection>>;
