import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log, Meter } from '../../src/ports.ts';
import { createThrottle } from '../../src/runtime/cooperative.ts';
import type { Form } from '../forms/form.ts';
import { type Connection, createConnections } from './pipelining.ts';
import { rejectionReply, serializeReply } from './rejection.ts';
import {
  announcesBody,
  type HttpRejection,
  httpRejections,
  maxHeaders,
  type ParserError,
  rejectionOf,
} from './request-checks.ts';
import { anonymousOutcome, logRequest } from './request-log.ts';

/** Requests per connection. After the last the client reconnects, perhaps to another gateway. */
const maxRequestsPerConnection = 1_000;

/** How long a client may need for the head of a request, in milliseconds. */
const maxHeadMs = 10_000;

/** Creates a server with limits of size, time and number for its connections. */
const createBoundedServer = (keepAliveMs: number): Server => {
  const server = createServer({
    // Request line and headers. A browser sends the cookies of the whole domain; no route reads them.
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
  // Node drops further headers; the extra one lets `checkRequest` notice
  server.maxHeadersCount = maxHeaders + 1;
  server.maxConnections = 2_000;
  // A client may close its side once it has asked, as `nc` and load balancers' checks do. Not in
  // the types of Node.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node announces it in `Keep-Alive`; `isLast` enforces it
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  return server;
};

/** Low-priority work (rejections, pipelined requests) per turn of the event loop. */
const maxPerTurn = 10;

/**
 * How long a rejected connection is still read, in milliseconds, so that a reset does not overtake
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

/** The application's request listener, as Koa makes it: it never rejects. */
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface HttpServerOptions {
  /**
   * The form whose error shape rejections have: a request that cannot be parsed has no form of its
   * own.
   */
  readonly form: Form;
  /**
   * How long a connection without a request is kept, in milliseconds: longer than a load balancer
   * keeps it, so that the balancer closes first.
   */
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/**
 * The shortest time between two log lines, in milliseconds: a crowd of clients must not fill the
 * log.
 */
const minLogIntervalMs = 10_000;

/** Creates the function that says whether a line may be logged: once in ten seconds. */
export const createLogLimit = (clock: Clock): (() => boolean) => {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.elapsed();
    if (now < nextAt) return false;
    nextAt = now + minLogIntervalMs;
    return true;
  };
};

/**
 * Counts the connections that a server closes at once because too many are open, and logs how many
 * there were.
 */
const watchDroppedConnections = (
  server: Server,
  { clock, log, meter }: Pick<HttpServerOptions, 'clock' | 'log' | 'meter'>,
): void => {
  const mayLog = createLogLimit(clock);
  let unlogged = 0;
  server.on('drop', () => {
    meter.connectionDropped();
    unlogged += 1;
    if (!mayLog()) return;
    log.warn(
      { dropped: unlogged, limit: server.maxConnections },
      'too many connections, new ones closed',
    );
    unlogged = 0;
  });
};

/**
 * Creates the HTTP server of an application. It answers what Node's parser rejects, in the error
 * shape of `form` (decisions, "Errors"). Other requests go to the application, one at a time per
 * connection: pipelining does not multiply a client's requests in flight.
 */
export const createHttpServer = (
  handle: RequestHandler,
  { form, keepAliveMs, clock, log, meter }: HttpServerOptions,
) => {
  const server = createBoundedServer(keepAliveMs);
  const throttle = createThrottle(maxPerTurn);
  const connections = createConnections(throttle, (waiting) =>
    log.warn({ waiting }, 'too many pipelined requests, connection closed'),
  );
  let draining = false;

  const isLast = (connection: Connection, request: IncomingMessage): boolean => {
    connection.requests += 1;
    // Node's parser drops what is in one packet with an upgrade and behind it: no client may wait
    // for that.
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
    connections.enqueue(connection, () => {
      // also after a rejection, which ends its connection
      if (!socket.writable || connection.ending) return;
      if (connection.broken && !request.complete) return; // the request's own body was malformed
      connection.ending = isLast(connection, request);
      if (connection.ending) response.setHeader('Connection', 'close');
      return handle(request, response);
    });
  };

  const reject = (socket: Duplex, rejection: HttpRejection, reason: string): void => {
    const reply = rejectionReply(rejection, form, randomUUID());
    endWith(socket, serializeReply(reply, clock.now()));
    logRequest(
      anonymousOutcome(form.name, reply, { bytes: reply.body.length, reason }),
      log,
      meter,
    );
  };

  /** Ends the connections that have no request, of those that are chosen. */
  const endUnused = (isChosen: (socket: Duplex) => boolean): void => {
    for (const { socket, pending } of connections.all())
      if (pending === 0 && isChosen(socket)) socket.destroy();
  };

  watchDroppedConnections(server, { clock, log, meter });
  server.on('connection', (socket) => void connections.of(socket));
  server.on('request', accept);
  server.on('checkContinue', accept); // no `100 Continue`: request bodies are never read
  server.on('checkExpectation', accept);
  server.on('connect', (_request, socket) => {
    // Node listens no longer: a reset while earlier requests are answered would end the process.
    socket.on('error', () => {});
    connections.enqueue(connections.of(socket), () =>
      reject(socket, httpRejections.method, 'CONNECT'),
    );
  });
  server.on('clientError', (error: ParserError, socket) => {
    const connection = connections.of(socket);
    if (connection.broken) return; // already answered; `endWith` discards the rest
    const rejection = rejectionOf(error);
    // the rest of the request is in the socket, which is not read
    if (rejection === httpRejections.slow && connection.paused) return;
    if (rejection === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.broken = true;
    connections.enqueue(connection, async () => {
      await throttle();
      if (socket.writable) reject(socket, rejection, error.code ?? error.name);
    });
  });

  return {
    server,
    /**
     * From now on every response closes its connection, so that clients reconnect to another
     * gateway.
     */
    beginDrain(): void {
      draining = true;
    },
    /**
     * Stops listening; resolves when the last connection is closed. Node closes those that wait
     * between two requests, and looks for no time-out any more: it would wait for ever for a
     * connection that a browser or a load balancer has opened ahead, or for half a request.
     */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      endUnused((socket) => 'bytesRead' in socket && socket.bytesRead === 0);
      const late = setTimeout(endUnused, maxHeadMs, () => true);
      await closed;
      clearTimeout(late);
    },
    /**
     * Closes all connections; one whose reply is not sent is reset, so that no client takes a part
     * of it for the whole.
     */
    closeConnections(): void {
      for (const { socket, pending } of connections.all()) {
        // Cast: a TCP connection, of whose events some are declared with the wider type.
        if (pending > 0) (socket as IncomingMessage['socket']).resetAndDestroy();
      }
      server.closeAllConnections();
    },
  };
};

export type HttpServer = ReturnType<typeof createHttpServer>;
