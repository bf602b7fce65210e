import { once } from 'node:events';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText } from '../support/wire.ts';

describe('shutdown of the gateway', () => {
  const cleanup = useCleanup(afterEach);
  /**
   * How late the gateway may be, in milliseconds: it grows with the start of an empty Node, since
   * the machine may be busy.
   */
  let slackMs = 0;
  before(async () => {
    const startedAt = performance.now();
    await runProgram(process.execPath, ['-e', '']);
    slackMs = 500 + 10 * (performance.now() - startedAt);
  });
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
    expect(JSON.parse((await stopping.ready()).body).parts.process).to.include({
      ready: false,
      reason: 'stopping',
    });
    // from a load balancer that has not noticed yet
    const late = await stopping.get('/api/v1/health');
    expect([late.status, late.headers['connection']]).to.deep.equal([200, 'close']);
    expect(await stopping.exit).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - signalledAt).to.be.within(2_000, 4_000 + slackMs);
    expect(stopping.lines.filter((line) => line.includes('"part":"process"'))).to.have.length(1);
    expect(stopping.lines.filter((line) => line.includes('"level":"warn"'))).to.deep.equal([]);
  });

  it('completes requests in flight within the grace period, and cuts the others', async () => {
    const gateway = await start(4);
    const wire = openWire(Number(new URL(gateway.url).port));
    wire.send('GET /api/v1/health HTTP/1.1\r\nHo'); // never finishes its headers
    const slow = openWire(Number(new URL(gateway.url).port));
    slow.send('GET /api/v1/health HTTP/1.1\r\nHo');
    const signalledAt = performance.now();
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
    expect(performance.now() - signalledAt).to.be.within(4_000, 4_000 + slackMs);
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
    expect(performance.now() - startedAt).to.be.below(slackMs);
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
    const startedAt = performance.now();
    gateway.signal('SIGINT');
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.below(slackMs);
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
    const startedAt = performance.now();
    gateway.signal('SIGINT');
    await unused.closed();
    expect(performance.now() - startedAt).to.be.below(slackMs);
    expect((await gateway.exit).code).to.equal(0);
    expect(performance.now() - startedAt).to.be.within(9_900, 10_000 + slackMs);
    expect(gateway.hasLogged('shutdown grace expired')).to.equal(false);
  });
});
