import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../../src/ports.ts';
import type { HealthChecks } from '../../src/runtime/health-checks.ts';
import type { Metrics } from './metrics.ts';

const send = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
};

const sendJson = (response: ServerResponse, status: number, value: object): void =>
  send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(value)}\n`);

/**
 * Creates the operator's HTTP server, for a port that partners cannot reach. It serves GET and HEAD
 * of `/live` (200 while the event loop runs, regardless of MongoDB and Redis; use it to restart a
 * hung process), `/ready` (200 or 503, for load balancers) and `/metrics` (Prometheus).
 */
export const createOperationsServer = (
  readiness: HealthChecks,
  metrics: Metrics,
  log: Log,
): Server => {
  const ready = async (response: ServerResponse): Promise<void> => {
    const report = await readiness.check();
    sendJson(response, report.ready ? 200 : 503, report);
  };
  const live = async (response: ServerResponse): Promise<void> =>
    sendJson(response, 200, { live: true });
  const scrape = async (response: ServerResponse): Promise<void> =>
    send(response, 200, metrics.contentType, await metrics.read());
  const pages = new Map(Object.entries({ '/live': live, '/ready': ready, '/metrics': scrape }));

  const server = createServer(
    { requestTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      const page = pages.get(request.url?.split('?', 1)[0] ?? '');
      if (page === undefined)
        sendJson(response, 404, { error: 'There are /live, /ready and /metrics here.' });
      else if (request.method !== 'GET' && request.method !== 'HEAD')
        sendJson(response, 405, { error: 'Only GET.' });
      else {
        page(response).catch((err: unknown) => {
          log.error({ err }, 'operations page failed');
          response.destroy();
        });
      }
    },
  );
  server.timeout = 15_000;
  return server;
};
