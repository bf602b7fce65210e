import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { demoKey } from '../support/documents.ts';
import { createCertificate } from '../support/faults/nginx.ts';
import { isOutage } from '../support/faults/quotas.ts';
import {
  type Answer,
  type GatewayProcess,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { type RedisServer, startRedisProcess, startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';
const current = demoKey('qaCurrent');

/** A busy machine may be slower than the gateway waits for Redis. */
const patient = { STORE_TIMEOUT_MS: '2000' };

const untilServed = ({ get }: GatewayProcess): Promise<void> =>
  until('it serves', async () => (await get(list, current)).status === 200);

describe('the database number of REDIS_URL', () => {
  const cleanup = useCleanup(after);
  let redis: RedisServer;
  before(async () => {
    redis = await cleanup.start(startRedisServer('--databases', '4'));
  });
  const start = (REDIS_URL: string) =>
    cleanup.start(startGatewayProcess({ REDIS_URL, ...patient }));

  it('selects the database that counts', async () => {
    await untilServed(await start(`${redis.url()}/3`));
    const keyspace = String(await redis.command('INFO', 'keyspace'));
    expect(keyspace).to.match(/^db3:/m).and.not.match(/^db0:/m);
    await redis.command('FLUSHALL');
  });

  for (const [credentials, database, reason, remedy] of [
    ['', 4, 'ERR DB index is out of range', /^name a database that it has/],
    ['narrow:hush@', 1, 'NOPERM', /^grant its user the rights/],
  ] as const)
    it(`logs a remedy and returns 503 if Redis refuses it: ${reason}`, async () => {
      await redis.command('ACL', 'SETUSER', 'narrow', 'on', '>hush', '~*', '+@all', '-select');
      const REDIS_URL = `redis://${credentials}127.0.0.1:${redis.port}/${database}`;
      const gateway = await start(REDIS_URL);
      const loss = () =>
        gateway.lines.find((line) => line.includes('Redis unreachable') && line.includes(reason)) ??
        '{}';
      await until('it says why', () => loss() !== '{}');
      const logged = JSON.parse(loss());
      expect(logged.remedy).to.match(remedy);
      expect(isOutage(await gateway.get(list, current))).to.equal(true);
      expect((await examine({ REDIS_URL })).get('redis')).to.include(logged.remedy);
      expect(gateway.hasLogged('hush')).to.equal(false);
      expect(await redis.command('DBSIZE')).to.equal(0);
    });

  it('fails requests, without counting in database 0, if Redis later rejects the number', async () => {
    await redis.kill();
    const gateway = await start(`${redis.url()}/4`);
    await redis.restart();
    const answers: Answer[] = [];
    await until('Redis refuses it', async () => {
      const isRefused = gateway.hasLogged('ERR DB index is out of range');
      answers.push(await gateway.get(list, current));
      return isRefused;
    });
    expect(answers.every(isOutage)).to.equal(true);
    expect(await redis.command('DBSIZE')).to.equal(0);
  });
});

describe('Sentinels with a password and TLS', () => {
  const cleanup = useCleanup(after);
  let start: (query: string) => Promise<GatewayProcess>;
  let primary: RedisServer;

  before(async () => {
    const folder = await cleanup.makeFolder('tls');
    const [key, certificate] = createCertificate(folder);
    /** Settings of a primary and of a Sentinel. */
    const tls = (port: number): string[] => [
      `tls-port ${port}`,
      'tls-auth-clients no',
      'tls-replication yes',
      `tls-cert-file ${certificate}`,
      `tls-key-file ${key}`,
      `tls-ca-cert-file ${certificate}`,
    ];
    const [primaryTls, plain, sentinelTls] = [await freePort(), await freePort(), await freePort()];
    primary = await cleanup.start(
      startRedisServer(...tls(primaryTls).flatMap((setting) => `--${setting}`.split(' '))),
    );
    await primary.command('ACL', 'SETUSER', 'gateway', 'on', '>secret', '~quota:*', '+@all');
    const lines = [
      `port ${plain}`,
      ...tls(sentinelTls),
      'bind 127.0.0.1',
      'user default on nopass -@all +ping', // the test helper waits for its answer
      'user watch on >sentinel+secret ~* &* +@all',
      `sentinel monitor quotas 127.0.0.1 ${primaryTls} 1`,
    ];
    await cleanup.start(
      startRedisProcess(plain, ['sentinel.conf', '--sentinel'], (path) =>
        writeFile(join(path, 'sentinel.conf'), `${lines.join('\n')}\n`),
      ),
    );
    const url = `rediss+sentinel://gateway:secret@127.0.0.1:${sentinelTls}/quotas/2`;
    const settings = { NODE_EXTRA_CA_CERTS: certificate, ...patient };
    start = (query) =>
      cleanup.start(startGatewayProcess({ ...settings, REDIS_URL: `${url}${query}` }));
  });

  it('accept a gateway with the credentials of the query', async () => {
    await untilServed(await start('?sentinel_username=watch&sentinel_password=sentinel%2Bsecret'));
    const keyspace = String(await primary.command('INFO', 'keyspace'));
    expect(keyspace).to.match(/^db2:/m).and.not.match(/^db0:/m);
  });

  it('refuse a gateway without credentials, which returns 503', async () => {
    const gateway = await start('');
    expect(isOutage(await gateway.get(list, current))).to.equal(true);
    await until('it says so', () => gateway.hasLogged('Redis unreachable'));
    expect(gateway.lines.join('\n')).not.to.include('secret');
  });
});
