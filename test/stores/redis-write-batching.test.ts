import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { inTwoSeconds, openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { consumeOne } from '../support/stores/consume-one.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe('commands to Redis of one turn of the event loop', () => {
  const cleanup = createCleanup();
  afterEach(() => cleanup.run());

  it('are written together and answered in order', async () => {
    const server = cleanup.add(await startRedisServer(), (redis) => redis.stop());
    const proxy = cleanup.add(await startTcpProxy(server.port), (between) => between.close());
    const opened = await openReadyRedisQuotas(server.url(proxy.port));
    const { quotas, clock } = cleanup.add(opened, (open) => open.quotas.close());
    const before = proxy.chunks();
    const consumed = Array.from({ length: 200 }, (_, index) =>
      consumeOne(quotas, { subject: `key:${index % 2}`, window: 'day', limit: 1_000 }, inTwoSeconds(clock)),
    );
    const statuses = await Promise.all(consumed);
    expect(proxy.chunks() - before).to.be.within(1, 20);
    const ascending = Array.from({ length: 100 }, (_, index) => index + 1);
    for (const subject of [0, 1]) {
      expect(statuses.filter((_, index) => index % 2 === subject).map(({ used }) => used)).to.deep.equal(ascending);
    }
  });
});
