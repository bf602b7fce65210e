import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/faults/database.ts';
import { type Nginx, type ProxiedReply, startNginx } from '../support/faults/nginx.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Sample, startLoad } from '../support/load.ts';
import { freePort } from '../support/ports.ts';

const path = '/api/v1/artists?limit=1';
const headers = { Authorization: `Bearer ${demoKey('qaCurrent')}` };

/** 200 requests a second. */
const everyMs = 5;

const failed = (samples: readonly Sample<ProxiedReply>[]): readonly unknown[] =>
  samples.filter(({ answer }) => answer?.status !== 200).map(({ answer }) => answer?.status ?? 'connection failed');

describe('two gateways behind nginx, under 200 requests a second', () => {
  const cleanup = createCleanup();
  const gateways: GatewayProcess[] = [];
  const ports: number[] = [];
  let nginx: Nginx;

  const start = async (index: number): Promise<void> => {
    const settings = { PORT: String(ports[index]), SHUTDOWN_GRACE_SECONDS: '6' };
    gateways[index] = await startGatewayProcess(settings);
  };

  before(async () => {
    ports.push(await freePort(), await freePort());
    await Promise.all([start(0), start(1)]);
    cleanup.add(gateways, (all) => Promise.all(all.map(({ stop }) => stop())));
    const [first = 0, second = 0] = ports;
    nginx = await cleanup.start(startNginx([first, second], '5s'));
  });
  after(() => cleanup.run());

  it('answer all of 4,000 requests while each is restarted twice with SIGTERM', async () => {
    const load = startLoad(() => nginx.get(path, headers), everyMs);
    for (const index of [0, 1, 0, 1]) {
      gateways[index]?.signal('SIGTERM');
      await gateways[index]?.exit;
      await start(index);
      await wait(2_000);
    }
    while (load.samples.length < 4_000) await wait(100); // a loaded machine sends fewer than 200 a second
    const samples = await load.stop();
    expect(failed(samples)).to.deep.equal([]);
    expect(samples).to.have.length.of.at.least(4_000);
  });

  it('answer all requests while one is killed with SIGKILL: nginx asks the other one', async () => {
    const load = startLoad(() => nginx.get(path, headers), everyMs);
    await wait(2_000);
    gateways[0]?.signal('SIGKILL');
    await wait(3_000);
    await start(0);
    await wait(3_000);
    const samples = await load.stop();
    expect(failed(samples)).to.deep.equal([]);
    expect(samples).to.have.length.above(500);
  });
});
