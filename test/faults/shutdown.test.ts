import { once } from 'node:events';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText } from '../support/wire.ts';

const health = '/api/v1/health';
const ended = { code: 0, signal: null };

describe('shutdown of the gateway', () => {
  const cleanup = useCleanup(afterEach);
  /** Starts a gateway whose grace period exceeds the timeout of a test, unless it is given. */
  const start = async (graceSeconds = 600) => {
    const settings = { OPERATIONS_PORT: 'free', SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
    const gateway = cleanup.add(await startGatewayProcess(settings), ({ signal, exit }) => {
      signal('SIGKILL');
      return exit;
    });
    return { ...gateway, connect: () => openWire(Number(new URL(gateway.url).port)) };
  };

  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    it(`reports not ready, and closes connections after late requests, on ${signal}`, async () => {
      const stopping = await start(); // it listens for 5 s more: a shorter grace period halves it
      stopping.signal(signal);
      await until('it reports that it stops', async () => (await stopping.ready()).status === 503);
      expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({
        ready: false,
        reason: 'stopping',
      });
      // from a load balancer that has not noticed yet
      const late = await stopping.get(health);
      expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
      expect(await stopping.exit).to.deep.equal(ended);
      expect(stopping.lines.filter((line) => line.includes('"part":"process"'))).to.have.length(1);
      expect(stopping.hasLogged('"level":"warn"')).to.equal(false);
    });

  it('completes requests in flight within the grace period, and cuts the others', async () => {
    const gateway = await start(8);
    const [endless, slow] = [gateway.connect(), gateway.connect()];
    for (const wire of [endless, slow]) wire.send(`GET ${health} HTTP/1.1\r\nHo`);
    await gateway.get(health); // so what was sent before it is read
    gateway.signal('SIGTERM');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    slow.send('st: a\r\n\r\n');
    expect((await slow.receive()).status).to.equal(200);
    await slow.closed();
    expect(await gateway.exit).to.deep.equal(ended);
    await endless.closed();
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(true);
  });

  it('exits with code 1 on a second SIGTERM', async () => {
    const gateway = await start();
    gateway.signal('SIGTERM');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    gateway.signal('SIGTERM');
    expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
  });

  it('on SIGINT waits at most 10 s for requests in flight, and ignores SIGUSR1', async () => {
    const gateway = await start();
    gateway.signal('SIGUSR1'); // would open a debugger
    const [unused, half] = [gateway.connect(), gateway.connect()];
    for (const { socket } of [unused, half]) await once(socket, 'connect');
    half.send(`GET ${health} HTTP/1.1\r\nHo`);
    const later = gateway.connect();
    later.send(requestText(health));
    await later.receive(); // so what was sent before it is read
    gateway.signal('SIGINT');
    const first = half.closed().then(() => 'half a request');
    expect(await Promise.race([unused.closed().then(() => 'unused'), first])).to.equal('unused');
    expect(gateway.isAlive()).to.equal(true);
    expect(await gateway.exit).to.deep.equal(ended);
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(false);
    expect(gateway.lines.join()).not.to.match(/debugger|inspector/i);
  });
});
