import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { demoKey } from '../support/faults/database.ts';
import { isOutage } from '../support/faults/quotas.ts';
import { type Answer, startGatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { type RedisServer, startRedisProcess, startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';
const current = demoKey('qaCurrent');

/** A busy machine may be slower than the gateway waits for Redis. */
const patient = { STORE_TIMEOUT_MS: '2000' };

describe('the database number of REDIS_URL', () => {
  const cleanup = useCleanup(after);
  let redis: RedisServer;
  before(async () => {
    redis = await cleanup.start(startRedisServer('--databases', '4'));
  });

  it('counts in that database', async () => {
    const gateway = await cleanup.start(
      startGatewayProcess({ REDIS_URL: `${redis.url()}/3`, ...patient }),
    );
    await until('it serves', async () => (await gateway.get(list, current)).status === 200);
    expect(String(await redis.command('INFO', 'keyspace')))
      .to.match(/^db3:/m)
      .and.not.match(/^db0:/m);
  });

  for (const [credentials, database, reason, remedy] of [
    ['', 4, 'ERR DB index is out of range', /^name a database that it has/],
    ['narrow:hush@', 1, 'NOPERM', /^grant its user the rights/],
  ] as const)
    it(`refuses requests and logs why when Redis refuses it: ${reason}`, async () => {
      await redis.command('ACL', 'SETUSER', 'narrow', 'on', '>hush', '~*', '+@all', '-select');
      const REDIS_URL = `redis://${credentials}127.0.0.1:${redis.port}/${database}`;
      const gateway = await cleanup.start(startGatewayProcess({ REDIS_URL, ...patient }));
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

  it('refuses requests when Redis comes up later and refuses it, and counts nothing in database 0', async () => {
    await redis.kill();
    const gateway = await cleanup.start(startGatewayProcess({ REDIS_URL: `${redis.url()}/4` }));
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
  let url: (query: string, credentials?: string) => string;
  let countsIn: () => Promise<string>;
  let settings: Record<string, string>;

  before(async () => {
    const folder = await cleanup.makeFolder('tls');
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = [
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1,DNS:localhost',
    ];
    const files = ['-keyout', key, '-out', certificate];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject],
      {
        stdio: 'ignore',
      },
    );
    const tls = {
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': certificate,
    };
    const [primaryTls, sentinelPlain, sentinelTls] = [
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const primary = await cleanup.start(
      startRedisServer(
        ...[
          '--tls-port',
          String(primaryTls),
          '--tls-auth-clients',
          'no',
          '--tls-replication',
          'yes',
        ],
        ...Object.entries(tls).flatMap(([name, value]) => [`--${name}`, value]),
      ),
    );
    await primary.command('ACL', 'SETUSER', 'gateway', 'on', '>secret', '~quota:*', '+@all');
    const lines = [
      ...[
        `port ${sentinelPlain}`,
        `tls-port ${sentinelTls}`,
        'tls-auth-clients no',
        'tls-replication yes',
      ],
      ...Object.entries(tls).map(([name, value]) => `${name} ${value}`),
      'bind 127.0.0.1',
      'user default on nopass -@all +ping', // the test helper waits for its answer
      'user watch on >sentinel+secret ~* &* +@all',
      `sentinel monitor quotas 127.0.0.1 ${primaryTls} 1`,
    ];
    await cleanup.start(
      startRedisProcess(sentinelPlain, ['sentinel.conf', '--sentinel'], (path) =>
        writeFile(join(path, 'sentinel.conf'), `${lines.join('\n')}\n`),
      ),
    );
    url = (query, credentials = 'gateway:secret') =>
      `rediss+sentinel://${credentials}@127.0.0.1:${sentinelTls}/quotas/2${query}`;
    countsIn = async () => String(await primary.command('INFO', 'keyspace'));
    settings = { NODE_EXTRA_CA_CERTS: certificate, ...patient };
  });

  it('are followed over TLS with the credentials of the query', async () => {
    const query = '?sentinel_username=watch&sentinel_password=sentinel%2Bsecret';
    const gateway = await cleanup.start(
      startGatewayProcess({ ...settings, REDIS_URL: url(query) }),
    );
    await until('it serves', async () => (await gateway.get(list, current)).status === 200);
    expect(await countsIn())
      .to.match(/^db2:/m)
      .and.not.match(/^db0:/m);
  });

  it('refuse a gateway without the credentials, which answers 503', async () => {
    const gateway = await cleanup.start(startGatewayProcess({ ...settings, REDIS_URL: url('') }));
    expect(isOutage(await gateway.get(list, current))).to.equal(true);
    await until('it says so', () => gateway.hasLogged('Redis unreachable'));
    expect(gateway.lines.join('\n')).not.to.include('secret');
  });
});
