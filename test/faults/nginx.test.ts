import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
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

describe('nginx in front of two gateways, with the configuration of the guide', () => {
  const cleanup = useCleanup(after);
  const gateways: GatewayProcess[] = [];
  let ports: readonly [number, number];
  let nginx: Nginx;
  const start = async (index: number): Promise<void> => {
    const settings = { PORT: String(ports[index]), SHUTDOWN_GRACE_SECONDS: '2' };
    gateways[index] = await startGatewayProcess(settings);
  };
  const kill = async (index: number): Promise<void> => {
    gateways[index]?.signal('SIGKILL');
    await gateways[index]?.exit;
  };
  before(async () => {
    ports = [await freePort(), await freePort()];
    cleanup.add(gateways, () => Promise.all([kill(0), kill(1)]));
    await Promise.all([start(0), start(1)]);
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

  /** How many requests a gateway has answered behind nginx. */
  const servedBy = (index: number): number =>
    nginx.logs().split(` 127.0.0.1:${ports[index]} 200 `).length;

  // starts what the last test killed
  beforeEach(async () => {
    for (const index of [0, 1]) if (!gateways[index]?.isAlive()) await start(index);
    const before = [servedBy(0), servedBy(1)];
    await until('nginx passes requests on to both', async () => {
      await askTogether(2);
      return before.every((count, index) => servedBy(index) > count);
    });
  });

  it('removes the path of PUBLIC_URL, and decodes no identifier behind it', async () => {
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

  /** 200 requests a second. */
  const begin = () => cleanup.start(startLoad(() => nginx.get(path, headers), 5));
  const restart = async (index: number): Promise<void> => {
    await start(index);
    const before = servedBy(index);
    await until('nginx asks it again', () => servedBy(index) > before);
  };

  it('returns 200 for all requests while each gateway is restarted with SIGTERM', async () => {
    const load = await begin();
    for (const index of [0, 1]) {
      await load.more(100);
      gateways[index]?.signal('SIGTERM');
      await gateways[index]?.exit;
      await restart(index);
    }
    await load.more(200);
    expect(failed(await load.stop())).to.deep.equal([]);
  });

  it('returns 200 for all requests while one gateway is killed with SIGKILL', async () => {
    const load = await begin();
    await load.more(100);
    await kill(0);
    await load.more(200);
    await restart(0);
    await load.more(200);
    expect(failed(await load.stop())).to.deep.equal([]);
  });

  it('returns 200 for all requests while one gateway is frozen', async () => {
    const before = tries().length;
    gateways[0]?.signal('SIGSTOP');
    const replies = [...(await askTogether(20)), ...(await askTogether(20))];
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(40).fill(200));
    await until('all are logged', () => tries().length === before + 40);
    // nginx tried the frozen gateway for some
    expect(new Set(tries().slice(before))).to.deep.equal(new Set(['504, 200', '200']));
    gateways[0]?.signal('SIGCONT');
    await kill(1);
    await until('it is asked again', async () => (await nginx.get(path, headers)).status === 200);
  });

  for (const [signal, expected] of [
    ['SIGSTOP', 504],
    ['SIGKILL', 502],
  ] as const) {
    it(`logs neither a query nor a key after all gateways received ${signal}`, async () => {
      for (const gateway of gateways) gateway.signal(signal);
      const reply = await nginx.get(`${path}&api_key=${key}&name=secret-query`, headers);
      for (const gateway of gateways) gateway.signal('SIGCONT');
      expect(reply.status).to.equal(expected);
      await until('it is logged', () =>
        nginx.logs().includes(` ${expected} GET "/api/v1/artists" `),
      );
      expect(nginx.logs()).not.to.match(/secret-query|api_key|aik_|limit=1/);
    });
  }
});
