import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { UsageTotals } from '../../src/domain/usage.ts';
import type { UsageStore } from '../../src/ports.ts';
import { createUsageCounter, type UsageLimits } from '../../src/usage/counter.ts';
import { createUsageFlusher } from '../../src/usage/flusher.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { buildUsageEvent } from '../support/usage.ts';

/** A store in memory; `answer` decides the outcome of each write. */
const createStore = () => {
  const written: UsageTotals[] = [];
  const store = {
    written,
    answer: async (_totals: UsageTotals): Promise<void> => {},
    async write(totals: UsageTotals): Promise<void> {
      await store.answer(totals);
      written.push(totals);
    },
  };
  return store satisfies UsageStore;
};

const down = () => Promise.reject(new Error('down'));
const hang = () => new Promise<void>(() => {});

const createTestFlusher = (given = {}, limits: UsageLimits = { days: 2_000, hours: 10 }) => {
  const clock = createManualClock();
  const log = createMemoryLog();
  const store = createStore();
  const counter = createUsageCounter({ clock, instance: 'one', limits });
  return {
    clock,
    log,
    store,
    counter,
    flusher: createUsageFlusher({ counter, store, intervalMs: 10, clock, log, ...given }),
    /** Counts a request of each of this many keys. */
    countKeys(keys: number): void {
      for (let index = 0; index < keys; index++)
        counter.count(buildUsageEvent({ keyId: `key${index}` }));
    },
    events: () => log.entries.map(({ event }) => event),
  };
};

/** Moves the timers by 10 ms in each turn until a promise settles. */
const whileTimePasses = async (promise: Promise<void>): Promise<void> => {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  for (let turns = 0; turns < 1_000 && !isSettled; turns++) {
    mock.timers.tick(10);
    await nextTurn();
  }
  await promise;
};

describe('usage flusher', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.timers.reset();
    syncBuiltinESMExports();
  });

  it('writes changed totals only', async () => {
    const { counter, flusher, store } = createTestFlusher();
    counter.count(buildUsageEvent({ quota: 'granted' }));
    await flusher.flush();
    await flusher.flush();
    expect(store.written.map(({ days, hours }) => [days.length, hours.length])).to.deep.equal([
      [1, 1],
    ]);
    counter.count(buildUsageEvent());
    await flusher.flush();
    expect(store.written[1]).to.have.nested.property('days[0].requests', 2);
  });

  it('gives up a write that hangs, and writes its totals again', async () => {
    const { counter, flusher, store, events } = createTestFlusher({ maxWriteMs: 50 });
    counter.count(buildUsageEvent());
    store.answer = hang;
    await whileTimePasses(flusher.flush());
    expect([counter.pending(), flusher.failures(), events()]).to.deep.equal([
      1,
      1,
      ['usage not written (retrying)'],
    ]);
    store.answer = async () => {};
    await flusher.flush();
    expect([counter.pending(), store.written.length]).to.deep.equal([0, 1]);
  });

  it('writes every interval until it is closed', async () => {
    const { counter, flusher, store } = createTestFlusher();
    flusher.start();
    for (let times = 1; times <= 3; times++) {
      counter.count(buildUsageEvent());
      mock.timers.tick(10);
      await nextTurn();
      expect(store.written).to.have.length(times);
    }
    await whileTimePasses(flusher.close());
    counter.count(buildUsageEvent());
    mock.timers.tick(1_000);
    await nextTurn();
    expect(store.written).to.have.length(3);
  });

  it('logs an outage once, keeps all counts, and continues after it', async () => {
    const { clock, counter, countKeys, flusher, store, events } = createTestFlusher();
    countKeys(300);
    let answers = 0;
    store.answer = () => (++answers > 1 ? down() : Promise.resolve());
    clock.advance(1_000);
    for (let times = 0; times < 3; times++) await flusher.flush();
    expect([flusher.failures(), flusher.age()]).to.deep.equal([3, 1_000]);
    expect(events()).to.deep.equal(['usage not written (retrying)']);
    expect(counter.pending()).to.equal(250); // the first fifty were written before the outage
    counter.count(buildUsageEvent({ keyId: 'key299' }));
    store.answer = async () => {};
    await flusher.flush();
    expect(events()).to.deep.equal(['usage not written (retrying)', 'usage written again']);
    expect(store.written.flatMap(({ days }) => days)).to.have.length(300);
    expect(store.written.at(-1)?.days.at(-1)).to.include({ keyId: 'key299', requests: 2 });
    expect([flusher.age(), counter.pending()]).to.deep.equal([0, 0]);
    store.answer = down;
    counter.count(buildUsageEvent());
    await flusher.flush();
    expect(events()).to.have.length(3);
  });

  it('forgets past days once they are written', async () => {
    const { clock, counter, flusher } = createTestFlusher({}, { days: 1, hours: 0 });
    counter.count(buildUsageEvent());
    clock.advance(86_400_000);
    await flusher.flush();
    counter.count(buildUsageEvent({ keyId: 'key2' }));
    expect([counter.uncounted(), counter.pending()]).to.deep.equal([0, 1]);
  });

  it('warns once that usage is not counted', async () => {
    const { countKeys, flusher, log } = createTestFlusher({}, { days: 1, hours: 0 });
    for (const keys of [1, 2, 3]) {
      countKeys(keys);
      await flusher.flush();
    }
    expect(log.entries.map(({ level, facts }) => ({ level, facts }))).to.deep.equal([
      { level: 'warn', facts: { uncounted: 1 } },
    ]);
  });

  it('writes on close the requests counted during a write that hangs', async () => {
    const { counter, flusher, store, events } = createTestFlusher();
    store.answer = hang;
    counter.count(buildUsageEvent());
    void flusher.flush();
    counter.count(buildUsageEvent());
    store.answer = async () => {};
    await whileTimePasses(flusher.close());
    expect(store.written.at(-1)).to.have.nested.property('days[0].requests', 2);
    expect([counter.pending(), events()]).to.deep.equal([0, []]);
  });

  it('writes on close again after an attempt that failed', async () => {
    const { counter, flusher, store, events } = createTestFlusher();
    let attempts = 0;
    store.answer = () => (++attempts < 3 ? down() : Promise.resolve());
    counter.count(buildUsageEvent());
    await whileTimePasses(flusher.close());
    expect([attempts, counter.pending()]).to.deep.equal([3, 0]);
    expect(events()).to.deep.equal(['usage not written (retrying)', 'usage written again']);
  });

  it('writes every batch on close if each takes less than the limit', async () => {
    const { countKeys, flusher, store, events } = createTestFlusher({ patienceMs: 400 });
    countKeys(500);
    store.answer = () => new Promise((resolve) => setTimeout(resolve, 60));
    await whileTimePasses(flusher.close());
    expect(store.written.flatMap(({ days }) => days)).to.have.length(500);
    expect(events()).to.deep.equal([]);
  });

  it('gives up on close when the store takes one batch and no other', async () => {
    const { countKeys, flusher, store, log } = createTestFlusher({ patienceMs: 50 });
    countKeys(150);
    store.answer = () => (store.written.length === 0 ? Promise.resolve() : hang());
    await whileTimePasses(flusher.close());
    expect(log.entries).to.deep.equal([
      { level: 'warn', event: 'usage lost at shutdown', facts: { lost: 100 } },
    ]);
  });
});
