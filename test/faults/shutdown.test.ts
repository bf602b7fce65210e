import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { demoKey } from '../support/faults/database.ts';
import { type Client, createClient, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';
import { openWire } from '../support/wire.ts';

const path = '/api/v1/artists?limit=3';
const headers = { Authorization: `Bearer ${demoKey('qaCurrent')}` };

interface Instance {
  readonly gateway: GatewayProcess;
  readonly ready: () => Promise<{ readonly status: number; readonly body: string }>;
}

const startInstance = async (client: Client, graceSeconds: number): Promise<Instance> => {
  const port = await freePort();
  const gateway = await startGatewayProcess({
    OPERATIONS_PORT: String(port),
    SHUTDOWN_GRACE_SECONDS: String(graceSeconds),
  });
  return { gateway, ready: () => client.get(`http://127.0.0.1:${port}/ready`) };
};

/** A round-robin load balancer that checks `/ready` ten times a second. */
const createBalancer = (client: Client, instances: readonly Instance[]) => {
  let ready = instances;
  let turn = 0;
  const checkReady = async (): Promise<void> => {
    const isReady = await Promise.all(
      instances.map((instance) =>
        instance
          .ready()
          .then(({ status }) => status === 200)
          .catch(() => false),
      ),
    );
    ready = instances.filter((_, index) => isReady[index]);
  };
  const timer = setInterval(() => void checkReady(), 100);
  return {
    get: () => client.get(`${ready[turn++ % ready.length]?.gateway.url}${path}`, headers),
    stop: () => clearInterval(timer),
  };
};

describe('shutdown of the gateway', () => {
  const client = createClient();
  const running: GatewayProcess[] = [];
  const start = async (graceSeconds: number): Promise<Instance> => {
    const instance = await startInstance(client, graceSeconds);
    running.push(instance.gateway);
    return instance;
  };
  afterEach(async () => {
    for (const gateway of running.splice(0)) {
      if (gateway.isAlive()) gateway.signal('SIGKILL');
      await gateway.exit;
    }
  });
  after(() => client.end());

  it('fails no request at 200 a second behind a load balancer with another gateway', async function () {
    this.timeout(30_000);
    const [stopping, staying] = [await start(4), await start(4)];
    const balancer = createBalancer(client, [stopping, staying]);
    const load = startLoad(balancer.get, 5);
    await wait(1_500);
    const signalledAt = performance.now();
    stopping.gateway.signal('SIGTERM');
    await until('it reports that it stops', async () => (await stopping.ready()).status === 503);
    expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({ ready: false, reason: 'stopping' });
    const late = await stopping.gateway.get('/api/v1/health'); // from a load balancer that has not noticed yet
    expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
    const exit = await stopping.gateway.exit;
    const tookMs = performance.now() - signalledAt;
    await wait(1_000);
    const samples = await load.stop();
    balancer.stop();
    const failed = samples.filter(({ answer }) => answer?.status !== 200);
    const drained = samples.filter(({ answer }) => answer?.headers['connection'] === 'close').length;
    console.log(`      ${countStatuses(samples)}; ${failed.length} failed; ${drained} answered while it drained`);
    console.log(`      gone after ${Math.round(tookMs)} ms`);
    expect(failed).to.deep.equal([]);
    expect(samples.length).to.be.greaterThan(100); // a loaded machine sends fewer
    expect(exit).to.deep.equal({ code: 0, signal: null });
    expect(tookMs).to.be.within(2_000, 4_500);
    expect(stopping.gateway.lines.filter((line) => line.includes('"part":"process"'))).to.have.length(1);
    expect(stopping.gateway.lines.filter((line) => line.includes('"level":"warn"'))).to.deep.equal([]);
  });

  it('completes requests in flight within the grace period, and cuts the others', async function () {
    this.timeout(20_000);
    const { gateway } = await start(2);
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
    expect(gateway.lines.some((line) => line.includes('shutdown grace expired'))).to.equal(true);
  });

  it('exits at once with code 1 on a second SIGTERM', async function () {
    this.timeout(20_000);
    const { gateway } = await start(60);
    gateway.signal('SIGTERM');
    await until('it is stopping', () => gateway.lines.some((line) => line.includes('stopping')));
    const startedAt = performance.now();
    gateway.signal('SIGTERM');
    expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
    expect(performance.now() - startedAt).to.be.below(1_000);
  });

  it('drains on SIGHUP like on SIGTERM', async function () {
    this.timeout(20_000);
    const { gateway } = await start(1);
    gateway.signal('SIGHUP');
    await until('it is stopping', () => gateway.lines.some((line) => line.includes('stopping')));
    expect((await gateway.get('/api/v1/health')).headers['connection']).to.equal('close');
    expect(await gateway.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('does not wait for load balancers on SIGINT', async function () {
    this.timeout(20_000);
    const { gateway } = await start(60);
    const startedAt = performance.now();
    gateway.signal('SIGINT');
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.below(2_000);
  });
});
