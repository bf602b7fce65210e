import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { demoKey } from '../support/faults/database.ts';
import { createClient, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';
import { openWire } from '../support/wire.ts';

const path = '/api/v1/artists?limit=3';
const headers = { Authorization: `Bearer ${demoKey('qaCurrent')}` };

/** A round-robin load balancer that checks `/ready` ten times a second. */
const createBalancer = (gateways: readonly GatewayProcess[]) => {
  const client = createClient();
  let ready = gateways;
  let turn = 0;
  const checkReady = async (): Promise<void> => {
    const replies = await Promise.allSettled(gateways.map((gateway) => gateway.ready()));
    ready = gateways.filter((_, index) => {
      const reply = replies[index];
      return reply?.status === 'fulfilled' && reply.value.status === 200;
    });
  };
  const timer = setInterval(() => void checkReady(), 100);
  return {
    get: () => client.get(`${ready[turn++ % ready.length]?.url}${path}`, headers),
    stop() {
      clearInterval(timer);
      client.end();
    },
  };
};

describe('shutdown of the gateway', () => {
  const running: GatewayProcess[] = [];
  const start = async (graceSeconds: number): Promise<GatewayProcess> => {
    const settings = { OPERATIONS_PORT: 'free', SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
    const gateway = await startGatewayProcess(settings);
    running.push(gateway);
    return gateway;
  };
  afterEach(async () => {
    for (const gateway of running.splice(0)) {
      if (gateway.isAlive()) gateway.signal('SIGKILL');
      await gateway.exit;
    }
  });

  it('fails no request at 200 a second behind a load balancer with another gateway', async () => {
    const [stopping, staying] = [await start(4), await start(4)];
    const balancer = createBalancer([stopping, staying]);
    const load = startLoad(balancer.get, 5);
    await wait(1_500);
    const signalledAt = performance.now();
    stopping.signal('SIGTERM');
    await until('it reports that it stops', async () => (await stopping.ready()).status === 503);
    expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({ ready: false, reason: 'stopping' });
    const late = await stopping.get('/api/v1/health'); // from a load balancer that has not noticed yet
    expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
    const exit = await stopping.exit;
    const tookMs = performance.now() - signalledAt;
    await wait(1_000);
    const samples = await load.stop();
    balancer.stop();
    const failed = samples.filter(({ answer }) => answer?.status !== 200);
    expect(failed, countStatuses(samples)).to.deep.equal([]);
    expect(samples.length).to.be.greaterThan(100); // a loaded machine sends fewer
    expect(exit).to.deep.equal({ code: 0, signal: null });
    expect(tookMs).to.be.within(2_000, 4_500);
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
