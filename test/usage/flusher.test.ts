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

const createTestFlusher = (limits: UsageLimits = { days: 2_000, hours: 10 }, given = {}) => {
  const clock = createManualClock();
  const log = createMemoryLog();
  const store = createStore();
  const counter = createUsageCounter({ clock, instance: 'one', limits });
  const writer = createUsageFlusher({ counter, store, intervalMs: 10, clock, log, ...given });
  return {
    clock,
    log,
    store,
    counter,
    writer,
    events: () => log.entries.map(({ event }) => event),
  };
};

describe('usage flusher', () => {
  it('writes changed totals only', async () => {
    const { counter, writer, store } = createTestFlusher();
    counter.count(buildUsageEvent({ quota: 'granted' }));
    await writer.flush();
    await writer.flush();
    expect(store.written.map(({ days, hours }) => [days.length, hours.length])).to.deep.equal([
      [1, 1],
    ]);
    counter.count(buildUsageEvent());
    await writer.flush();
    expect(store.written[1]).to.have.nested.property('days[0].requests', 2);
  });

  it('gives up a write that hangs, and writes its totals again', async () => {
    const { counter, writer, store, events } = createTestFlusher(undefined, { maxWriteMs: 50 });
    counter.count(buildUsageEvent());
    let writes = 0;
    store.answer = () => (++writes === 1 ? new Promise(() => {}) : Promise.resolve());
    await writer.flush();
    expect([counter.pending(), writer.failures(), events()]).to.deep.equal([
      1,
      1,
      ['usage not written (retrying)'],
    ]);
    await writer.flush();
    expect([counter.pending(), store.written.length]).to.deep.equal([0, 1]);
  });

  it('writes every interval until it is closed', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { counter, writer, store } = createTestFlusher();
      writer.start();
      for (let times = 1; times <= 3; times++) {
        counter.count(buildUsageEvent());
        mock.timers.tick(10);
        await nextTurn();
        expect(store.written).to.have.length(times);
      }
      await writer.close();
      counter.count(buildUsageEvent());
      mock.timers.tick(1_000);
      await nextTurn();
      expect(store.written).to.have.length(3);
    } finally {
      mock.timers.reset();
    }
  });

  it('logs an outage once, keeps all counts, and continues after it', async () => {
    const { clock, counter, writer, store, events } = createTestFlusher();
    for (let index = 0; index < 300; index++)
      counter.count(buildUsageEvent({ keyId: `key${index}` }));
    let answers = 0;
    store.answer = async () => {
      answers += 1;
      if (answers > 1) await down();
    };
    clock.advance(1_000);
    for (let times = 0; times < 3; times++) await writer.flush();
    expect(writer.failures()).to.equal(3);
    expect(writer.age()).to.equal(1_000);
    expect(events()).to.deep.equal(['usage not written (retrying)']);
    expect(counter.pending()).to.equal(250); // the first fifty were written before the outage
    counter.count(buildUsageEvent({ keyId: 'key299' }));
    store.answer = async () => {};
    await writer.flush();
    expect(events()).to.deep.equal(['usage not written (retrying)', 'usage written again']);
    expect(store.written.flatMap(({ days }) => days)).to.have.length(300);
    expect(store.written.at(-1)?.days.at(-1)).to.include({ keyId: 'key299', requests: 2 });
    expect([writer.age(), counter.pending()]).to.deep.equal([0, 0]);
    store.answer = down;
    counter.count(buildUsageEvent());
    await writer.flush();
    expect(events()).to.have.length(3);
  });

  it('forgets past days once they are written', async () => {
    const { clock, counter, writer } = createTestFlusher({ days: 1, hours: 0 });
    counter.count(buildUsageEvent());
    clock.advance(86_400_000);
    await writer.flush();
    counter.count(buildUsageEvent({ keyId: 'key2' }));
    expect([counter.uncounted(), counter.pending()]).to.deep.equal([0, 1]);
  });

  it('warns once that usage is not counted', async () => {
    const { counter, writer, log } = createTestFlusher({ days: 1, hours: 0 });
    counter.count(buildUsageEvent());
    await writer.flush();
    expect(log.entries).to.deep.equal([]);
    for (const keyId of ['a', 'b']) {
      counter.count(buildUsageEvent({ keyId }));
      await writer.flush();
    }
    expect(log.entries.map(({ level, facts }) => ({ level, facts }))).to.deep.equal([
      { level: 'warn', facts: { uncounted: 1 } },
    ]);
  });

  it('writes on close the requests counted during the last write', async () => {
    const { counter, writer, store, events } = createTestFlusher();
    let release = (): void => {};
    store.answer = () => new Promise((resolve) => (release = resolve));
    counter.count(buildUsageEvent());
    const writing = writer.flush();
    counter.count(buildUsageEvent());
    const closing = writer.close();
    release();
    await writing;
    store.answer = async () => {};
    release();
    await closing;
    expect(store.written.at(-1)).to.have.nested.property('days[0].requests', 2);
    expect(events()).to.deep.equal([]);
  });

  it('writes on close even if an earlier write hangs', async () => {
    const { counter, writer, store, log } = createTestFlusher();
    store.answer = () => new Promise(() => {});
    counter.count(buildUsageEvent());
    void writer.flush();
    store.answer = async () => {};
    await writer.close();
    expect(counter.pending()).to.equal(0);
    expect(log.entries).to.deep.equal([]);
  });

  it('writes on close again after an attempt that failed', async () => {
    const { counter, writer, store, events } = createTestFlusher();
    let attempts = 0;
    store.answer = async () => {
      attempts += 1;
      if (attempts < 3) throw new Error('not yet');
    };
    counter.count(buildUsageEvent());
    await writer.close();
    expect([attempts, counter.pending()]).to.deep.equal([3, 0]);
    expect(events()).to.deep.equal(['usage not written (retrying)', 'usage written again']);
  });

  it('writes every batch on close if each takes less than the limit', async () => {
    const { counter, writer, store, events } = createTestFlusher(undefined, { patienceMs: 400 });
    for (let index = 0; index < 500; index++)
      counter.count(buildUsageEvent({ keyId: `key${index}` }));
    store.answer = () => new Promise((resolve) => setTimeout(resolve, 60));
    await writer.close();
    expect(store.written.flatMap(({ days }) => days)).to.have.length(500);
    expect(events()).to.deep.equal([]);
  });

  it('gives up on close when the store takes one batch and no other', async () => {
    const { counter, writer, store, log } = createTestFlusher(undefined, { patienceMs: 50 });
    for (let index = 0; index < 150; index++)
      counter.count(buildUsageEvent({ keyId: `key${index}` }));
    store.answer = () => (store.written.length === 0 ? Promise.resolve() : new Promise(() => {}));
    await writer.close();
    expect(log.entries).to.deep.equal([
      { level: 'warn', event: 'usage lost at shutdown', facts: { lost: 100 } },
    ]);
  });
});
