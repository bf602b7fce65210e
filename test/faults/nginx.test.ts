import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/faults/database.ts';
import { type Nginx, startNginx } from '../support/faults/nginx.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Sample, startLoad } from '../support/load.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';

const path = '/api/v1/artists?limit=1';
const key = demoKey('qaCurrent');
const headers = { Authorization: `Bearer ${key}` };

const failed = (samples: readonly Sample<{ status: number }>[]): readonly unknown[] =>
  samples
    .filter(({ answer }) => answer?.status !== 200)
    .map(({ answer }) => answer?.status ?? 'connection failed');

describe('nginx before two gateways, as the guide configures it', () => {
  const cleanup = useCleanup(afterEach);
  const gateways: GatewayProcess[] = [];
  let ports: readonly [number, number];
  let nginx: Nginx;
  const start = async (index: number): Promise<void> => {
    gateways[index] = await startGatewayProcess({
      PORT: String(ports[index]),
      SHUTDOWN_GRACE_SECONDS: '6',
    });
  };
  beforeEach(async () => {
    ports = [await freePort(), await freePort()];
    await Promise.all([start(0), start(1)]);
    cleanup.add(gateways, (all) =>
      Promise.all(
        all.map(({ signal, exit }) => {
          signal('SIGKILL');
          return exit;
        }),
      ),
    );
    nginx = await cleanup.start(startNginx(ports));
  });

  const askTogether = (times: number) =>
    Promise.all(Array.from({ length: times }, () => nginx.get(path, headers)));

  /**
   * How the gateways that nginx tried for each request answered, from its access log: "200", or
   * "504, 200" for two.
   */
  const tries = (): string[] =>
    [
      ...nginx
        .logs()
        .matchAll(/ GET "\/api\/v1\/artists" .*? (\d{3}(?:, \d{3})?) [\d.]+(?:, [\d.]+)?$/gm),
    ].map(([, tried]) => tried ?? '');

  it('answers every request while one gateway stands still, each after at most one wait', async () => {
    gateways[0]?.signal('SIGSTOP');
    const replies = [...(await askTogether(20)), ...(await askTogether(20))];
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(40).fill(200));
    await until('all are logged', () => tries().length === 40);
    // some had asked the one that stands still
    expect(new Set(tries())).to.deep.equal(new Set(['504, 200', '200']));
    gateways[0]?.signal('SIGCONT');
    gateways[1]?.signal('SIGKILL');
    await until('it is asked again', async () => (await nginx.get(path, headers)).status === 200);
  });

  for (const [signal, expected] of [
    ['SIGSTOP', 504],
    ['SIGKILL', 502],
  ] as const) {
    it(`writes neither a query nor a key when all gateways got ${signal}`, async () => {
      for (const gateway of gateways) gateway.signal(signal);
      const reply = await nginx.get(`${path}&api_key=${key}&name=secret-query`, headers);
      expect(reply.status).to.equal(expected);
      await until('it is logged', () =>
        nginx.logs().includes(` ${expected} GET "/api/v1/artists" `),
      );
      expect(nginx.logs()).not.to.match(/secret-query|api_key|aik_|limit=1/);
    });
  }

  it('takes the path of PUBLIC_URL off, and decodes no identifier behind it', async () => {
    const status = async (asked: string, sent = {}) => (await nginx.get(asked, sent)).status;
    expect(await status(`/music${path}`, headers)).to.equal(200);
    expect(await status('/music/api/v1/artists/a%2Fb')).to.equal(401); // as an identifier
    expect(await status('/music/api/v1/artists/a/b')).to.equal(404); // as a path that no form has
  });

  it('logs a path with blanks and quotes as one field', async () => {
    await nginx.get('/a%200.003%20%22forged%22%20127.0.0.1:3000%20200', headers);
    const field = String.raw`404 GET "/a 0.003 \x22forged\x22 127.0.0.1:3000 200" `;
    await until('it is logged', () => nginx.logs().includes(field));
  });

  describe('under 200 requests a second', () => {
    it('answers all of 4,000 requests while each gateway is restarted twice with SIGTERM', async function () {
      this.timeout(300_000); // they take a busy machine longer than two minutes
      const load = startLoad(() => nginx.get(path, headers), 5);
      for (const index of [0, 1, 0, 1]) {
        gateways[index]?.signal('SIGTERM');
        await gateways[index]?.exit;
        await start(index);
        await wait(2_000);
      }
      // a loaded machine sends fewer than 200 a second
      while (load.samples.length < 4_000) await wait(100);
      const samples = await load.stop();
      expect(failed(samples)).to.deep.equal([]);
      expect(samples).to.have.length.of.at.least(4_000);
    });

    it('answers all requests while one gateway is killed with SIGKILL: nginx asks the other one', async () => {
      const load = startLoad(() => nginx.get(path, headers), 5);
      const untilSent = (count: number) =>
        until(`${count} are answered`, () => load.samples.length >= count);
      await untilSent(400);
      gateways[0]?.signal('SIGKILL');
      await untilSent(1_000);
      await start(0);
      await untilSent(1_600);
      expect(failed(await load.stop())).to.deep.equal([]);
    });
  });
});
