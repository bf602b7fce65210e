import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log, Meter } from '../../src/ports.ts';
import type { Form } from '../forms/form.ts';
import { type Connection, createConnections, maxWaiting, type Socket } from './pipelining.ts';
import { rejectionReply, serializeReply } from './rejection.ts';
import {
  announcesBody,
  type HttpRejection,
  httpRejections,
  maxHeaders,
  type ParserError,
  rejectionOf,
} from './request-checks.ts';
import { anonymousOutcome, createCountedWarning, logRequest } from './request-log.ts';

/** Requests per connection. Then the client reconnects, perhaps to another gateway. */
const maxRequestsPerConnection = 1_000;

/** Timeout for the request line and headers, in milliseconds. */
const maxHeadMs = 10_000;

/** Maximum number of open connections. Further connections are closed immediately. */
const maxConnections = 2_000;

/** Maximum time without progress on a connection, in milliseconds. A partial write is progress. */
const maxStallMs = 30_000;

/**
 * A request that stops Node's parser after its connection is closed. Otherwise Node parses the rest
 * of its buffer, up to 2,400 requests. Node stops only for an upgrade.
 */
class ParsedRequest extends IncomingMessage {
  private wantsUpgrade: unknown;
  get upgrade(): unknown {
    return this.socket.destroyed || this.wantsUpgrade;
  }
  set upgrade(value: unknown) {
    this.wantsUpgrade = value;
  }
}

/** Creates a server that limits the size, duration and number of its connections. */
const createBoundedServer = (keepAliveMs: number): Server => {
  const server = createServer({
    IncomingMessage: ParsedRequest,
    // Request line and headers. Browsers send the cookies of the whole domain; no route reads them.
    maxHeaderSize: 16_384,
    headersTimeout: maxHeadMs,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000, // how often Node checks the two timeouts above
    keepAliveTimeout: keepAliveMs,
    requireHostHeader: false, // checked in the pipeline, where the 400 has a body
    insecureHTTPParser: false,
    joinDuplicateHeaders: false,
    noDelay: true,
  });
  // Node drops further headers. One extra header lets `checkRequest` notice.
  server.maxHeadersCount = maxHeaders + 1;
  server.maxConnections = maxConnections;
  server.timeout = maxStallMs;
  // Keep half-closed connections open: `nc` and load balancer health checks close their side right
  // after the request. Missing from Node's types.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node announces it in `Keep-Alive`; `isLast` enforces it.
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  return server;
};

/**
 * How long a rejected connection is still read, in milliseconds. An earlier reset could overtake
 * the response.
 */
const maxLingerMs = 1_000;

const endWith = (socket: Duplex, bytes: Buffer): void => {
  const timer = setTimeout(() => socket.destroy(), maxLingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => {}); // the client disconnected before it received the response
  socket.end(bytes);
  socket.resume();
};

/** Koa's request listener, which never rejects. */
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface HttpServerOptions {
  /** The form for the error shape of rejections: an unparsable request has no form. */
  readonly form: Form;
  /**
   * Timeout of an idle connection, in milliseconds. Longer than the load balancer's, so that the
   * load balancer closes first.
   */
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/**
 * Creates the HTTP server of an application. It replies to requests that Node's parser rejects, in
 * the error shape of `form` (decisions, "Errors"). Other requests go to the application, one at a
 * time per connection, so pipelining does not multiply a client's requests in flight.
 */
export const createHttpServer = (
  handle: RequestHandler,
  { form, keepAliveMs, clock, log, meter }: HttpServerOptions,
) => {
  const server = createBoundedServer(keepAliveMs);
  const connections = createConnections(
    createCountedWarning(clock, log, 'too many pipelined requests, connections closed', maxWaiting),
  );
  let draining = false;

  const isLast = (connection: Connection, request: IncomingMessage): boolean => {
    connection.requests += 1;
    // Node's parser drops data that follows an upgrade in the same packet, so do not let clients
    // wait for it.
    const isUpgrade = request.headers.upgrade !== undefined;
    return (
      connection.requests >= maxRequestsPerConnection ||
      draining ||
      announcesBody(request) ||
      isUpgrade
    );
  };

  const accept = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const connection = connections.of(socket);
    if (connection === undefined) return;
    connections.enqueue(connection, () => {
      // A rejection ends its connection: requests after it are ignored.
      if (!socket.writable || connection.ending) return;
      if (connection.broken && !request.complete) return; // the request's own body was malformed
      connection.ending = isLast(connection, request);
      if (connection.ending) response.setHeader('Connection', 'close');
      return handle(request, response);
    });
  };

  const reject = (socket: Duplex, rejection: HttpRejection, reason: string): void => {
    if (!socket.writable) return;
    const reply = rejectionReply(rejection, form, randomUUID());
    endWith(socket, serializeReply(reply, clock.now()));
    logRequest(
      anonymousOutcome(form.name, reply, {
        code: rejection.code,
        bytes: reply.body.length,
        reason,
      }),
      log,
      meter,
    );
  };

  /** Closes a connection. If a reply is incomplete, a reset shows the client that it is cut off. */
  const end = ({ socket, pending }: Connection): void => {
    if (pending > 0) socket.resetAndDestroy();
    else socket.destroy();
  };

  const endUnused = (isChosen: (socket: Socket) => boolean): void => {
    for (const connection of connections.all())
      if (connection.pending === 0 && isChosen(connection.socket)) end(connection);
  };

  const warnOfDrop = createCountedWarning(
    clock,
    log,
    'too many connections, new connections closed',
    maxConnections,
  );
  server.on('drop', () => {
    meter.connectionDropped();
    warnOfDrop();
  });
  server.on('connection', connections.add);
  server.on('request', accept);
  server.on('checkContinue', accept); // no `100 Continue`: request bodies are never read
  server.on('checkExpectation', accept);
  server.on('timeout', (socket) => {
    const connection = connections.of(socket);
    if (connection !== undefined) end(connection);
  });
  server.on('connect', (_request, socket) => {
    // Node no longer handles errors here. A reset would end the process and stop all replies.
    socket.on('error', () => {});
    if (connections.of(socket)?.pending === 0) reject(socket, httpRejections.method, 'CONNECT');
    else socket.destroy();
  });
  server.on('clientError', (error: ParserError, socket) => {
    const connection = connections.of(socket);
    if (connection?.broken) return; // already replied; `endWith` discards the rest
    const rejection = rejectionOf(error);
    if (connection === undefined || rejection === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.broken = true;
    connections.enqueue(connection, () => reject(socket, rejection, error.code ?? error.name));
  });

  return {
    server,
    /**
     * Sends `Connection: close` with every response from now on, so that clients reconnect to
     * another gateway.
     */
    beginDrain(): void {
      draining = true;
    },
    /**
     * Stops listening. Resolves when the last connection is closed. Node closes connections between
     * two requests but checks no more timeouts, so it would wait forever for a preconnected client
     * or half a request.
     */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      endUnused(({ bytesRead }) => bytesRead === 0);
      const late = setTimeout(endUnused, maxHeadMs, () => true);
      await closed;
      clearTimeout(late);
    },
    closeConnections(): void {
      for (const connection of connections.all()) end(connection);
    },
  };
};

export type HttpServer = ReturnType<typeof createHttpServer>;
