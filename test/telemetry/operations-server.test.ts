import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createMetrics } from '../../adapters/telemetry/metrics.ts';
import { createOperationsServer } from '../../adapters/telemetry/operations-server.ts';
import { createHealthChecks } from '../../src/runtime/health-checks.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { sendRaw } from '../support/raw.ts';

describe('operations server', () => {
  let server: Server;
  let reason: string | undefined;
  const clock = createManualClock('2026-08-22T12:00:00.000Z');
  const log = createMemoryLog();
  const readiness = createHealthChecks([{ name: 'quotas', check: () => reason }], clock, log);
  const send = (path: string, method = 'GET') =>
    // a TCP address is never a string
    sendRaw((server.address() as AddressInfo).port, { path, method });

  before(async () => {
    server = createOperationsServer(readiness, createMetrics('test'), log).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  it('returns 200 from /ready, or 503 with the part that is not ready', async () => {
    reason = undefined;
    expect((await send('/ready')).status).to.equal(200);
    clock.advance(5_000);
    reason = 'no reply';
    const reply = await send('/ready');
    expect(reply.status).to.equal(503);
    expect(reply.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(reply.text)).to.deep.equal({
      ready: false,
      parts: { quotas: { ready: false, since: '2026-08-22T12:00:05.000Z', reason: 'no reply' } },
    });
    expect((await send('/ready?verbose=1', 'HEAD')).status).to.equal(503);
  });

  it('answers /live with 200 whatever is not ready', async () => {
    reason = 'no reply';
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await send('/live', method);
      expect(status).to.equal(200);
      expect(headers).to.include({ 'cache-control': 'no-store' });
      expect(text).to.equal(method === 'GET' ? '{"live":true}\n' : '');
    }
  });

  it('answers /metrics in the text format of Prometheus', async () => {
    const { status, headers, text } = await send('/metrics');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(text).to.match(
      /^# HELP gateway_requests_total .+\n# TYPE gateway_requests_total counter$/m,
    );
  });

  it('answers other paths with 404 and POST with 405', async () => {
    for (const path of ['/', '/api/v1/health', '/ready/', '/live/', '/__proto__', '/toString']) {
      expect((await send(path)).status, path).to.equal(404);
    }
    for (const path of ['/live', '/ready', '/metrics'])
      expect((await send(path, 'POST')).status, path).to.equal(405);
  });
});
