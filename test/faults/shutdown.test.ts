import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';
import { openWire } from '../support/wire.ts';

describe('shutdown of the gateway', () => {
  const cleanup = useCleanup(afterEach);
  const start = async (graceSeconds: number) => {
    const settings = { OPERATIONS_PORT: 'free', SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
    return cleanup.add(await startGatewayProcess(settings), ({ signal, exit }) => {
      signal('SIGKILL');
      return exit;
    });
  };

  it('is not ready at once, and still answers, closing connections, for half of the grace period', async () => {
    const stopping = await start(4);
    const signalledAt = performance.now();
    stopping.signal('SIGTERM');
    await until('it reports that it stops', async () => (await stopping.ready()).status === 503);
    expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({ ready: false, reason: 'stopping' });
    const late = await stopping.get('/api/v1/health'); // from a load balancer that has not noticed yet
    expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
    expect(await stopping.exit).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - signalledAt).to.be.within(2_000, 4_500);
    expect(stopping.lines.filter((line) => line.includes('"part":"process"'))).to.have.length(1);
    expect(stopping.lines.filter((line) => line.includes('"level":"warn"'))).to.deep.equal([]);
  });

  it('completes requests in flight within the grace period, and cuts the others', async () => {
    const gateway = await start(2);
    const wire = openWire(Number(new URL(gateway.url).port));
    wire.send('GET /api/v1/health HTTP/1.1\r\nHo'); // never finishes its headers
    await wait(200);
    const slow = openWire(Number(new URL(gateway.url).port));
    slow.send('GET /api/v1/health HTTP/1.1\r\nHo');
    await wait(200);
    const startedAt = performance.now();
    gateway.signal('SIGTERM');
    await wait(1_300);
    slow.send('st: a\r\n\r\n');
    expect((await slow.receive()).status).to.equal(200);
    await slow.closed();
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.within(1_900, 3_500);
    await wire.closed();
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(true);
  });

  it('exits at once with code 1 on a second SIGTERM', async () => {
    const gateway = await start(60);
    gateway.signal('SIGTERM');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    const startedAt = performance.now();
    gateway.signal('SIGTERM');
    expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
    expect(performance.now() - startedAt).to.be.below(1_000);
  });

  it('drains on SIGHUP like on SIGTERM', async () => {
    const gateway = await start(1);
    gateway.signal('SIGHUP');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    expect((await gateway.get('/api/v1/health')).headers['connection']).to.equal('close');
    expect(await gateway.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('does not wait for load balancers on SIGINT', async () => {
    const gateway = await start(60);
    const startedAt = performance.now();
    gateway.signal('SIGINT');
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.below(2_000);
  });
});
