import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { createUsageReader } from '../../adapters/stores/operator/usage.ts';
import type { UsageStore } from '../../src/ports.ts';
import { createUsageCounter } from '../../src/usage/counter.ts';
import { createUsageFlusher } from '../../src/usage/flusher.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { buildUsageEvent } from '../support/usage.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe('usage of several gateways in MongoDB', () => {
  const mongo = useMongo();

  const startGateway = (store: UsageStore = createMongoUsage(mongo.db), clock = createManualClock()) => {
    const counter = createUsageCounter({ clock, instance: randomUUID() });
    const writer = createUsageFlusher({ counter, store, intervalMs: 15_000, clock, log: createMemoryLog() });
    const { count, countComparison } = counter;
    return { clock, count, countComparison, pending: counter.pending, flush: writer.flush, close: writer.close };
  };

  const requests = async (): Promise<Record<string, number>> => {
    const counts = await createUsageReader(createMongoDocuments(mongo.db)).loadDays('2026-01-01');
    return Object.fromEntries(counts.map((count) => [`${count.day} ${count.keyId} ${count.status}`, count.requests]));
  };

  it('is summed, in any order and number of writes', async () => {
    const gateways = [startGateway(), startGateway(), startGateway()];
    for (let round = 0; round < 3; round++) {
      for (const [index, { count }] of gateways.entries()) {
        count(buildUsageEvent({ quota: 'granted', uses: ['new'] }));
        if (index > 0) count(buildUsageEvent({ keyId: `key${index + 1}`, status: 429, quota: 'refused' }));
      }
      await Promise.all(gateways.map(({ flush }) => flush()));
    }
    await Promise.all(gateways.map(({ flush }) => flush()));
    const day = '2026-08-22';
    expect(await requests()).to.deep.equal({ [`${day} key1 200`]: 9, [`${day} key2 429`]: 3, [`${day} key3 429`]: 3 });
    const [first] = await createUsageReader(createMongoDocuments(mongo.db)).loadDays(day);
    expect(first?.uses).to.deep.equal({ new: 9 });
    const minutes = await createUsageReader(createMongoDocuments(mongo.db)).loadMinutes('acme', 0);
    expect(minutes.map(({ keyId, requests, refused }) => [keyId, requests, refused])).to.have.deep.members([
      ['key1', 9, 0],
      ['key2', 3, 3],
      ['key3', 3, 3],
    ]);
  });

  it('sums comparisons with the other form, also those counted after their request was written', async () => {
    const { countComparison: _none, ...idle } = startGateway();
    idle.count(buildUsageEvent());
    await idle.flush();
    const gateways = [startGateway(), startGateway()];
    for (const { count, flush } of gateways) {
      count(buildUsageEvent());
      await flush();
    }
    for (const [index, { countComparison, pending, flush }] of gateways.entries()) {
      countComparison({ ...buildUsageEvent(), differed: index === 1 });
      expect(pending()).to.equal(1);
      await flush();
      expect(pending()).to.equal(0);
    }
    const [first, ...others] = await createUsageReader(createMongoDocuments(mongo.db)).loadDays('2026-01-01');
    expect(first).to.deep.include({ requests: 3, compared: { answers: 2, differed: 1 } });
    expect(others).to.deep.equal([]);
  });

  it('counts each request once when writes fail before, within or after writing', async () => {
    const store = createMongoUsage(mongo.db);
    const faults = [
      async () => {
        throw new Error('nothing was written');
      },
      async (...[{ days, hours }]: Parameters<UsageStore['write']>) => {
        await store.write({ days: days.slice(0, 1), hours: hours.slice(0, 1) });
        throw new Error('half of it was written');
      },
      async (...[totals]: Parameters<UsageStore['write']>) => {
        await store.write(totals);
        throw new Error('all was written, but the answer was lost');
      },
    ];
    const faulty: UsageStore = { ...store, write: (totals) => (faults.shift() ?? store.write)(totals) };
    const gateway = startGateway(faulty);
    for (let round = 0; round < 4; round++) {
      for (const keyId of ['key1', 'key2', 'key3']) gateway.count(buildUsageEvent({ keyId, quota: 'granted' }));
      await gateway.flush();
    }
    expect(faults).to.deep.equal([]);
    expect(gateway.pending()).to.equal(0);
    const day = '2026-08-22';
    expect(await requests()).to.deep.equal({ [`${day} key1 200`]: 4, [`${day} key2 200`]: 4, [`${day} key3 200`]: 4 });
    const minutes = await createUsageReader(createMongoDocuments(mongo.db)).loadMinutes('acme', 0);
    expect(minutes.map((minute) => minute.requests)).to.deep.equal([4, 4, 4]);
  });

  it('continues past midnight, with late requests of the day before', async () => {
    const gateway = startGateway();
    gateway.clock.advance(12 * hourMs - 1);
    gateway.count(buildUsageEvent({ quota: 'granted' }));
    gateway.clock.advance(2);
    gateway.count(buildUsageEvent({ quota: 'granted' }));
    await gateway.flush();
    gateway.count(buildUsageEvent({ ms: 5, quota: 'granted' })); // arrived before midnight, ended after the write
    gateway.count(buildUsageEvent({ quota: 'granted' }));
    await gateway.flush();
    expect(await requests()).to.deep.equal({ '2026-08-22 key1 200': 2, '2026-08-23 key1 200': 2 });
    const minutes = await createUsageReader(createMongoDocuments(mongo.db)).loadMinutes('acme', 0);
    const midnight = Date.parse('2026-08-23T00:00:00Z');
    expect(minutes.map(({ minute, requests }) => [minute, requests])).to.deep.equal([
      [midnight - minuteMs, 2],
      [midnight, 2],
    ]);
  });

  it('is written on close', async () => {
    const gateway = startGateway();
    gateway.count(buildUsageEvent());
    await gateway.close(5_000);
    expect(await requests()).to.deep.equal({ '2026-08-22 key1 200': 1 });
  });

  for (const ahead of [10, 500, -500]) {
    it(`stays when a gateway writes whose clock is wrong by ${ahead} days`, async () => {
      const right = startGateway();
      right.count(buildUsageEvent({ quota: 'granted' }));
      await right.flush();
      const clock = createManualClock();
      clock.advance(ahead * 86_400_000);
      const wrong = startGateway(undefined, clock);
      wrong.count(buildUsageEvent({ quota: 'granted', keyId: 'key2' }));
      await wrong.flush();
      expect(await requests()).to.include({ '2026-08-22 key1 200': 1 });
      const minutes = await createUsageReader(createMongoDocuments(mongo.db)).loadMinutes('acme', 0);
      expect(minutes.filter(({ keyId }) => keyId === 'key1')).to.have.length(1);
    });
  }
});
