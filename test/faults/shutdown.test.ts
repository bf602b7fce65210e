import { once } from 'node:events';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { settlesWithin, until } from '../support/wait.ts';
import { openWire, requestText } from '../support/wire.ts';

describe('shutdown of the gateway', () => {
  const cleanup = useCleanup(afterEach);
  /** Less than half of a minute of grace, and far more than a busy machine needs to exit. */
  const soonMs = 25_000;
  const start = async (graceSeconds: number) => {
    const settings = { OPERATIONS_PORT: 'free', SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
    return cleanup.add(await startGatewayProcess(settings), ({ signal, exit }) => {
      signal('SIGKILL');
      return exit;
    });
  };

  it('is not ready at once, and still answers, closing connections, for half of the grace period', async () => {
    const stopping = await start(4);
    stopping.signal('SIGTERM');
    await until('it reports that it stops', async () => (await stopping.ready()).status === 503);
    expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({
      ready: false,
      reason: 'stopping',
    });
    // from a load balancer that has not noticed yet
    const late = await stopping.get('/api/v1/health');
    expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
    expect(await stopping.exit).to.deep.equal({ code: 0, signal: null });
    expect(stopping.lines.filter((line) => line.includes('"part":"process"'))).to.have.length(1);
    expect(stopping.lines.filter((line) => line.includes('"level":"warn"'))).to.deep.equal([]);
  });

  it('completes requests in flight within the grace period, and cuts the others', async () => {
    const gateway = await start(4);
    const wire = openWire(Number(new URL(gateway.url).port));
    wire.send('GET /api/v1/health HTTP/1.1\r\nHo'); // never finishes its headers
    const slow = openWire(Number(new URL(gateway.url).port));
    slow.send('GET /api/v1/health HTTP/1.1\r\nHo');
    gateway.signal('SIGTERM');
    const isRefused = (): Promise<boolean> =>
      gateway.get('/api/v1/health').then(
        () => false,
        () => true,
      );
    await until('it does not listen any more', isRefused);
    slow.send('st: a\r\n\r\n');
    expect((await slow.receive()).status).to.equal(200);
    await slow.closed();
    expect((await gateway.exit).code).to.equal(0);
    await wire.closed();
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(true);
  });

  it('exits at once with code 1 on a second SIGTERM', async () => {
    const gateway = await start(60);
    gateway.signal('SIGTERM');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    gateway.signal('SIGTERM');
    expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
  });

  it('drains on SIGHUP like on SIGTERM', async () => {
    const gateway = await start(4);
    gateway.signal('SIGHUP');
    await until('it is stopping', () => gateway.hasLogged('stopping'));
    expect((await gateway.get('/api/v1/health')).headers['connection']).to.equal('close');
    expect(await gateway.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('ignores SIGUSR1, which would open a debugger', async () => {
    const gateway = await start(4);
    gateway.signal('SIGUSR1');
    expect((await gateway.get('/api/v1/health')).status).to.equal(200);
    gateway.signal('SIGINT');
    expect((await gateway.exit).code).to.equal(0);
    expect(gateway.lines.join()).not.to.match(/debugger|inspector/i);
  });

  it('does not wait for load balancers on SIGINT', async () => {
    const gateway = await start(60);
    gateway.signal('SIGINT');
    expect(await settlesWithin(soonMs, gateway.exit)).to.equal(true);
    expect((await gateway.exit).code).to.equal(0);
  });

  it('does not wait for a connection that has sent nothing, and 10 seconds for half a request', async () => {
    const gateway = await start(60);
    const port = Number(new URL(gateway.url).port);
    const [unused, half] = [openWire(port), openWire(port)];
    for (const { socket } of [unused, half]) await once(socket, 'connect');
    half.send('GET /api/v1/health HTTP/1.1\r\nHo');
    const later = openWire(port);
    later.send(requestText('/api/v1/health'));
    await later.receive(); // so what was sent before it is read
    gateway.signal('SIGINT');
    const ended = half.closed().then(() => 'half a request');
    expect(await Promise.race([unused.closed().then(() => 'unused'), ended])).to.equal('unused');
    expect(gateway.isAlive()).to.equal(true);
    expect(await settlesWithin(soonMs, gateway.exit)).to.equal(true);
    expect((await gateway.exit).code).to.equal(0);
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(false);
  });
});
