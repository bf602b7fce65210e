import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { inTwoSeconds, openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe('commands to Redis', () => {
  const cleanup = createCleanup();
  afterEach(() => cleanup.run());

  it('leave together when they are made in one turn, and each is answered', async () => {
    const server = cleanup.add(await startRedisServer(), (redis) => redis.stop());
    const proxy = cleanup.add(await startTcpProxy(server.port), (between) => between.close());
    const opened = await openReadyRedisQuotas(server.url(proxy.port));
    const { quotas, clock } = cleanup.add(opened, (open) => open.quotas.close());
    const before = proxy.chunks();
    const spends = Array.from({ length: 200 }, (_, place) =>
      quotas.consume({ subject: `key:${place % 2}`, window: 'day', limit: 1_000 }, inTwoSeconds(clock)),
    );
    const standings = await Promise.all(spends);
    expect(proxy.chunks() - before).to.be.within(1, 20);
    const ascending = Array.from({ length: 100 }, (_, place) => place + 1);
    for (const subject of [0, 1]) {
      expect(standings.filter((_, place) => place % 2 === subject).map(({ used }) => used)).to.deep.equal(ascending);
    }
  });
});
