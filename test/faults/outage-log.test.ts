import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { useCleanup } from '../support/cleanup.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { demoKey, shortIntervals } from '../support/faults/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type MongoProcess, startMongoProcess } from '../support/mongo-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly reason?: string;
}

describe('the log of a gateway', () => {
  const cleanup = useCleanup(after);
  let mongo: MongoProcess;
  let redis: RedisServer;
  let gateway: GatewayProcess;

  const ready = async () => JSON.parse((await gateway.ready()).body);
  const warnings = (): Line[] =>
    gateway.lines
      .filter((line) => line.startsWith('{'))
      .map((line): Line => JSON.parse(line))
      .filter(({ level }) => level === 'warn' || level === 'error');
  const mentions = (store: string): Line[] =>
    warnings().filter(({ reason }) => reason?.includes(`${store}: `));

  before(async () => {
    mongo = await cleanup.start(startMongoProcess());
    redis = await cleanup.start(startRedisServer('--maxmemory-policy', 'noeviction'));
    const connection = cleanup.add(new MongoClient(mongo.url('gateway')), (opened) =>
      opened.close(),
    );
    await insertDocuments(connection.db(), readFixtures());
    await createMongoIndexes(connection.db()).create();
    const settings = {
      MONGODB_URL: mongo.url('gateway'),
      REDIS_URL: redis.url(),
      OPERATIONS_PORT: 'free',
      STORE_TIMEOUT_MS: '2000', // what is away refuses connections at once
      ...shortIntervals,
      KEYS_MAX_STALENESS_SECONDS: '2',
    };
    gateway = await cleanup.start(startGatewayProcess(settings));
  });

  it('has no warning after a healthy start', async () => {
    await until('it is ready', async () => (await ready()).ready);
    expect((await gateway.get('/api/v1/artists?limit=3', demoKey('qaCurrent'))).status).to.equal(
      200,
    );
    expect(warnings()).to.deep.equal([]);
  });

  it('names a store that is away once, with the reason in words and without a stack', async () => {
    await Promise.all([mongo.kill(), redis.stop()]);
    const away = `Redis: connection refused (127.0.0.1:${redis.port})`;
    await until('/ready says why', async () => {
      await gateway.get('/api/v1/artists?limit=3', demoKey('qaCurrent'));
      const { quotas, keys } = (await ready()).parts;
      const isStale =
        /^last loaded \d+ s ago: MongoDB: connection refused \(127\.0\.0\.1:\d+\)$/.test(
          keys.reason,
        );
      return quotas.reason === away && isStale;
    });
    await until('the refused requests are logged', () => mentions('Redis').length > 0);
    const requests = mentions('Redis').filter(
      ({ msg, reason }) => msg === 'request failed' && reason === away,
    );
    expect(requests.length).to.be.at.most(1);
    const refreshes = mentions('MongoDB').filter(({ msg }) => msg === 'refresh failed');
    expect(new Set(refreshes.map(({ reason }) => reason)).size, 'each reason once').to.equal(
      refreshes.length,
    );
    expect(refreshes.length).to.be.greaterThan(0);
    expect(gateway.lines.filter((line) => line.includes('"stack"'))).to.deep.equal([]);
    const unreachable = warnings().filter(({ msg }) => msg.startsWith('Redis unreachable'));
    expect(unreachable).to.have.length(1);
  });
});
