import { expect } from 'chai';
import { demoKey } from '../support/faults/database.ts';
import { type Nginx, startNginx } from '../support/faults/nginx.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';

const path = '/api/v1/artists?limit=1';
const key = demoKey('qaCurrent');
const headers = { Authorization: `Bearer ${key}` };

/** As long as nginx waits for a gateway that stands still, in this test. */
const readTimeoutMs = 1_000;

describe('nginx before two gateways, as the guide configures it', () => {
  let gateways: readonly GatewayProcess[];
  let nginx: Nginx;
  beforeEach(async () => {
    const ports = [await freePort(), await freePort()] as const;
    gateways = await Promise.all(ports.map((port) => startGatewayProcess({ PORT: String(port) })));
    nginx = await startNginx(ports, `${readTimeoutMs}ms`);
  });
  afterEach(async () => {
    await nginx.stop();
    for (const gateway of gateways) {
      gateway.signal('SIGKILL');
      await gateway.exit;
    }
  });

  const askTogether = (times: number) => Promise.all(Array.from({ length: times }, () => nginx.get(path, headers)));

  it('answers every request while one gateway stands still, each after at most one wait', async () => {
    gateways[0]?.signal('SIGSTOP');
    const replies = [...(await askTogether(20)), ...(await askTogether(20))];
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(40).fill(200));
    expect(replies.filter(({ ms }) => ms >= readTimeoutMs)).not.to.deep.equal([]); // some had asked the one that stands
    expect(Math.max(...replies.map(({ ms }) => ms))).to.be.below(10_000);
    gateways[0]?.signal('SIGCONT');
    gateways[1]?.signal('SIGKILL');
    await until('it is asked again', async () => (await nginx.get(path, headers)).status === 200, 10_000);
  });

  for (const [signal, expected] of [
    ['SIGSTOP', 504],
    ['SIGKILL', 502],
  ] as const) {
    it(`writes neither a query nor a key when all gateways got ${signal}`, async () => {
      for (const gateway of gateways) gateway.signal(signal);
      const reply = await nginx.get(`${path}&api_key=${key}&name=secret-query`, headers);
      expect(reply.status).to.equal(expected);
      await until('it is logged', () => nginx.logs().includes(` ${expected} GET /api/v1/artists `));
      expect(nginx.logs()).not.to.match(/secret-query|api_key|aik_|limit=1/);
      for (const gateway of gateways) if (gateway.isAlive()) gateway.signal('SIGCONT');
    });
  }
});
