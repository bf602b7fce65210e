import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log, Meter } from '../../src/ports.ts';
import type { Form } from '../forms/form.ts';
import { type Connection, createConnectionQueue, createConnections, createThrottle } from './pipelining.ts';
import { rejectionReply, serializeReply } from './rejection.ts';
import {
  announcesBody,
  type HttpRejection,
  httpRejections,
  maxHeaders,
  type ParserError,
  rejectionOf,
} from './request-checks.ts';
import { logRequest, rejectionOutcome } from './request-log.ts';

/** A connection carries so many requests; then its client comes back on another, perhaps to another gateway. */
const mostRequests = 1_000;

/** Bounds of every connection: bytes, time and number. */
const createBoundedServer = (): Server => {
  const server = createServer({
    maxHeaderSize: 8_192, // request line and headers
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000, // the two above are looked at this often only
    keepAliveTimeout: 65_000, // longer than a load balancer keeps an idle connection, so that it is never the one surprised
    requireHostHeader: false, // checked in the pipeline, where a refusal has a body
    insecureHTTPParser: false,
    joinDuplicateHeaders: false,
    noDelay: true,
  });
  server.timeout = 30_000; // a client that takes nothing of its response for so long is cut off
  server.maxHeadersCount = maxHeaders + 1; // Node drops what is more; the one more than allowed is there to be noticed
  server.maxConnections = 2_000;
  server.maxRequestsPerSocket = mostRequests; // said, but not done: closing after the last is up to us
  return server;
};

/** So much of what nobody needs to hurry for (refusals, requests sent ahead) is done between two looks at everybody else. */
const mostAtOnce = 10;

/** So many requests may have been sent ahead on all connections together; each is a few kilobytes in memory. */
const mostAhead = 5_000;

/** How long a refused connection is still listened to, in milliseconds, so that a reset does not overtake the answer. */
const lingerMs = 1_000;

const endWith = (socket: Duplex, bytes: Buffer): void => {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => {}); // the client went without waiting for its answer
  socket.end(bytes);
  socket.resume();
};

/** An application's listener, as Koa makes it. */
type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HttpServerOptions {
  /** The form that speaks where there is none yet. */
  readonly form: Form;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** What partners' clients, scanners and load balancers meet first. */
export interface HttpServer {
  readonly server: Server;
  /** From now on every reply closes its connection, so that clients come back to another gateway. */
  beginDrain(): void;
}

/**
 * The HTTP server before an application. What its parser refuses is answered here, in the error shape of `form`; what can be
 * parsed is the application's, one request of a connection at a time, so that no client has many in work by pipelining.
 */
export const createHttpServer = (handle: Handle, { form, clock, log, meter }: HttpServerOptions): HttpServer => {
  const server = createBoundedServer();
  const connectionOf = createConnections();
  const throttle = createThrottle(mostAtOnce);
  const inTurn = createConnectionQueue({
    throttle,
    maxQueued: mostAhead,
    onExcess({ socket }) {
      if (!socket.destroyed) log.warn({}, 'connection cut: too many requests were sent ahead');
      socket.destroy();
    },
  });
  let draining = false;

  const isLast = (connection: Connection, request: IncomingMessage): boolean => {
    connection.requests += 1;
    return connection.requests >= mostRequests || draining || announcesBody(request);
  };

  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const connection = connectionOf(socket);
    inTurn(connection, () => {
      if (socket.destroyed || connection.ending) return;
      if (connection.broken && !request.complete) return; // its own body is what could not be parsed
      connection.ending = isLast(connection, request);
      if (connection.ending) response.setHeader('Connection', 'close');
      return handle(request, response).catch((err: unknown) => {
        log.error({ err }, 'request failed');
        socket.destroy();
      });
    });
  };

  const refuse = (socket: Duplex, refusal: HttpRejection, reason: string): void => {
    const requestId = randomUUID();
    const reply = rejectionReply(refusal, form, requestId);
    endWith(socket, serializeReply(reply, clock.now()));
    logRequest(rejectionOutcome(requestId, form.name, reply, reason), log, meter);
  };

  server.on('request', take);
  server.on('checkContinue', take); // nobody is asked for a body that nobody reads
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => {
    inTurn(connectionOf(socket), () => refuse(socket, httpRejections.method, 'CONNECT'));
  });
  server.on('clientError', (error: ParserError, socket) => {
    const connection = connectionOf(socket);
    if (connection.broken) return; // answered; what still comes is let in and thrown away
    const refusal = rejectionOf(error);
    if (refusal === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.broken = true;
    inTurn(connection, async () => {
      await throttle();
      if (socket.writable) refuse(socket, refusal, error.code ?? error.name);
    });
  });

  return {
    server,
    beginDrain() {
      draining = true;
    },
  };
};
