import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { useStarted } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText, type Wire } from '../support/wire.ts';

const path = '/api/v1/artists?limit=3';
const clients = 1_000;

describe('a crowd', () => {
  const gateway = useStarted(
    () => startGatewayProcess({}),
    ({ stop }) => stop(),
  );
  const open = () => openWire(Number(new URL(gateway.url).port));
  const load = () => startLoad(() => gateway.get(path, demoKey('qaCurrent')), 10);
  const ask = async (wire: Wire): Promise<number> => {
    wire.send(requestText('/api/v1/health'));
    return (await wire.receive()).status;
  };
  /** Connects the clients, and does something with each; a listener has room for 511. */
  const gather = async (begin: (wire: Wire) => Promise<unknown>): Promise<Wire[]> => {
    const wires: Wire[] = [];
    while (wires.length < clients) {
      const more = Array.from({ length: 100 }, open);
      await Promise.all(more.map(begin));
      wires.push(...more);
    }
    return wires;
  };

  it(`of ${clients} clients with unfinished headers gets 408, while a normal client is served`, async () => {
    const wires = await gather(({ socket }) => once(socket, 'connect'));
    for (const wire of wires) wire.send('GET /api/v1/health HTTP/1.1\r\nHost: a\r\n');
    const dripping = setInterval(() => {
      for (const wire of wires) if (wire.socket.writable) wire.send('X-A: b\r\n');
    }, 2_000);
    const normal = load();
    const replies = wires.map(async (wire) => (await wire.receive()).status);
    await Promise.race(replies);
    expect(normal.samples.length, 'requests served before the first 408').to.be.above(100);
    expect(new Set(await Promise.all(replies))).to.deep.equal(new Set([408]));
    clearInterval(dripping);
    await Promise.all(wires.map((wire) => wire.closed()));
    expect(countStatuses(await normal.stop())).to.match(/^200 × \d+$/);
  });

  it(`of ${clients} idle connections does not affect others, and is closed on shutdown`, async () => {
    const wires = await gather(async (wire) => expect(await ask(wire)).to.equal(200));
    const normal = load();
    await normal.more(50);
    expect(countStatuses(await normal.stop())).to.match(/^200 × \d+$/);
    expect(new Set(await Promise.all(wires.map(ask)))).to.deep.equal(new Set([200]));
    gateway.signal('SIGTERM');
    await Promise.all(wires.map((wire) => wire.closed()));
    expect((await gateway.exit).code).to.equal(0);
  });
});

describe('a gateway that cannot accept connections', () => {
  // Loaded before the gateway's own code: what Node does when accept(2) fails, on a signal.
  const failure = `
    import { Server } from 'node:net';
    const servers = new Set();
    const { listen } = Server.prototype;
    Server.prototype.listen = function (...given) { servers.add(this); return listen.apply(this, given); };
    process.on('SIGUSR2', () => {
      for (const server of servers) server.emit('error', new Error('accept ENFILE'));
    });`;
  const gateway = useStarted(
    () =>
      startGatewayProcess({
        OPERATIONS_PORT: 'free',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(failure)}`,
      }),
    ({ stop }) => stop(),
  );

  it('continues, and logs that once', async () => {
    for (let times = 0; times < 3; times += 1) gateway.signal('SIGUSR2');
    const told = () => gateway.lines.filter((line) => line.includes('connection not accepted'));
    await until('both ports have failed', () => told().length === 2);
    expect((await gateway.get(path, demoKey('qaCurrent'))).status).to.equal(200);
    expect(told()).to.have.length(2);
  });

  it('serves again after a crowd that used up all file descriptors', async function () {
    await until('it has read its files', async () => (await gateway.get('/docs')).status === 200);
    const limited = spawnSync('prlimit', ['--pid', String(gateway.pid), '--nofile=64:64']);
    if (limited.status !== 0) this.skip(); // prlimit exists on Linux only
    const wires = Array.from({ length: 200 }, () => openWire(Number(new URL(gateway.url).port)));
    const used = () => readdirSync(`/proc/${gateway.pid}/fd`).length;
    await until('they are used up', () => used() >= 63);
    for (const wire of wires) wire.end();
    await until(
      'it serves',
      async () => (await gateway.get(path, demoKey('qaVariant'))).status === 200,
    );
  });
});
