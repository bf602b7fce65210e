import { EventEmitter, once } from 'node:events';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createRefresher, type RefresherOptions } from '../../src/runtime/refresher.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

/** A clock without wall time: freshness depends on elapsed time only. */
const elapsing = createManualClock();
const clock = {
  elapsed: elapsing.elapsed,
  now: (): number => {
    throw new Error('the wall clock was read');
  },
};

const create = <Value>(
  load: RefresherOptions<Value>['load'],
  given: Partial<RefresherOptions<Value>> = {},
) => {
  const log = createMemoryLog();
  const options = {
    name: 'numbers',
    load,
    intervalMs: 5,
    maxStalenessMs: 1_000,
    clock,
    log,
    ...given,
  };
  return { refresher: createRefresher(options), log };
};

/** A source that returns these results in order; it rejects with an error. */
const resultsInOrder = (...results: (number | Error)[]) => {
  const rest = [...results];
  return async (): Promise<number> => {
    const result = rest.shift() ?? 0;
    if (result instanceof Error) throw result;
    return result;
  };
};

describe('refresher', () => {
  it('keeps the last good value while loads fail, and passes the error on', async () => {
    const failure = new Error('down');
    const { refresher } = create(resultsInOrder(failure, 7, failure, 8));
    await catchError(refresher.refresh);
    expect([refresher.value(), refresher.age(), refresher.isFresh()]).to.deep.equal([
      undefined,
      undefined,
      false,
    ]);
    await refresher.refresh();
    expect(await catchError(refresher.refresh)).to.equal(failure);
    expect(refresher.value()).to.equal(7);
    await refresher.refresh();
    expect(refresher.value()).to.equal(8);
  });

  it('is fresh while the last result is no older than maxStalenessMs', async () => {
    const { refresher } = create(resultsInOrder(7, new Error('down'), 8));
    await refresher.refresh();
    elapsing.advance(1_000);
    await catchError(refresher.refresh);
    expect([refresher.age(), refresher.isFresh()]).to.deep.equal([1_000, true]);
    elapsing.advance(1);
    expect([refresher.age(), refresher.isFresh(), refresher.value()]).to.deep.equal([
      1_001,
      false,
      7,
    ]);
    await refresher.refresh();
    expect([refresher.age(), refresher.isFresh(), refresher.value()]).to.deep.equal([0, true, 8]);
  });

  it('loads once for overlapping refreshes, and again after them', async () => {
    let loads = 0;
    const { refresher } = create(async () => ++loads);
    await Promise.all([refresher.refresh(), refresher.refresh(), refresher.refresh()]);
    expect([loads, refresher.value()]).to.deep.equal([1, 1]);
    await refresher.refresh();
    expect([loads, refresher.value()]).to.deep.equal([2, 2]);
  });

  it('gives up a load that never ends, and loads again', async () => {
    const lost = new Promise<number>(() => {});
    let loads = 0;
    const load = (): Promise<number> => (++loads === 1 ? lost : Promise.resolve(7));
    const { refresher, log } = create(load, { maxLoadMs: 20 });
    void refresher.start();
    await until('the next result', () => refresher.value() === 7);
    refresher.stop();
    const [{ event, facts } = { event: '', facts: {} }] = log.entries;
    expect([event, facts]).to.have.nested.property('[1].err.message', 'no reply within 20 ms');
    expect(event).to.equal('refresh failed');
  });

  it('refreshes on its interval, logs a failure and continues', async () => {
    const failure = new Error('down');
    const { refresher, log } = create(resultsInOrder(1, failure, 2));
    void refresher.start();
    await until('the third result', () => refresher.value() === 2 || refresher.value() === 0);
    refresher.stop();
    expect(log.entries).to.deep.equal([
      { level: 'error', event: 'refresh failed', facts: { source: 'numbers', err: failure } },
    ]);
  });

  it('loads at once when started without a value, and otherwise after its interval', async () => {
    let loads = 0;
    const load = async () => ++loads;
    const [empty, loaded] = [
      create(load).refresher,
      create(load, { intervalMs: 60_000 }).refresher,
    ];
    void empty.start();
    expect(loads).to.equal(1);
    empty.stop();
    await loaded.refresh();
    void loaded.start();
    expect(loads).to.equal(2);
    loaded.stop();
  });

  it('serves the recalled value, with its age, until the source responds', async () => {
    const answered = new EventEmitter();
    const load = async (previous: number | undefined): Promise<number> => {
      await once(answered, 'answer');
      return (previous ?? 0) + 1;
    };
    const recall = async () => {
      elapsing.advance(50); // the age counts from before the value is read
      return { value: 5, age: 350 };
    };
    const { refresher } = create(load, { recall, maxStalenessMs: 500 });
    expect(await refresher.recall()).to.equal(true);
    void refresher.start();
    expect([refresher.value(), refresher.age(), refresher.isFresh()]).to.deep.equal([5, 400, true]);
    elapsing.advance(101);
    expect([refresher.value(), refresher.age(), refresher.isFresh()]).to.deep.equal([
      5,
      501,
      false,
    ]);
    answered.emit('answer');
    await until('the source has answered', () => refresher.value() !== 5);
    refresher.stop();
    expect([refresher.age(), refresher.isFresh()]).to.deep.equal([0, true]);
  });

  it('loads immediately with the recalled value, and resolves after the first load', async () => {
    for (const result of [7, new Error('away')]) {
      const previous: unknown[] = [];
      const load = async (value: number | undefined): Promise<number> => {
        previous.push(value);
        return resultsInOrder(result)();
      };
      const { refresher } = create(load, {
        recall: async () => ({ value: 5, age: 0 }),
        intervalMs: 60_000,
      });
      await refresher.recall();
      expect(previous).to.deep.equal([]);
      await refresher.start();
      refresher.stop();
      expect(previous).to.deep.equal([5]);
      expect(refresher.value()).to.equal(result === 7 ? 7 : 5);
    }
  });

  it('loads from its source when the value of an earlier process cannot be had', async () => {
    for (const recall of [async () => undefined, () => Promise.reject(new Error('a bug'))]) {
      const { refresher } = create(async () => 7, { recall });
      expect(await refresher.recall()).to.equal(false);
      await refresher.start();
      refresher.stop();
      expect(refresher.value()).to.equal(7);
    }
  });

  describe('with timers that the test moves', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());
    const pass = async (ms: number): Promise<void> => {
      mock.timers.tick(ms);
      await nextTurn();
    };

    it('loads a slow source, however old its value may be', async () => {
      const slow = new EventEmitter();
      const load = async (): Promise<number> => (await once(slow, 'answer'))[0];
      const { refresher } = create(load, { maxStalenessMs: Number.POSITIVE_INFINITY });
      const refreshed = refresher.refresh();
      await pass(599_999);
      slow.emit('answer', 7);
      await refreshed;
      expect(refresher.value()).to.equal(7);
    });

    it('ignores a second start, and a start after a stop', async () => {
      let loads = 0;
      const { refresher } = create(async () => ++loads, { intervalMs: 200 });
      await refresher.refresh();
      void refresher.start();
      void refresher.start();
      await pass(200);
      expect(loads).to.equal(2);
      refresher.stop();
      void refresher.start();
      await pass(1_000);
      expect(loads).to.equal(2);
    });

    it('neither continues nor logs a failure after a stop during a load', async () => {
      const ended = new EventEmitter();
      let loads = 0;
      const { refresher, log } = create(async () => {
        loads += 1;
        await once(ended, 'close');
        throw new Error('closed');
      });
      const started = refresher.start();
      refresher.stop();
      ended.emit('close');
      await started;
      await pass(1_000);
      expect([loads, refresher.failure(), log.entries]).to.deep.equal([1, 'closed', []]);
    });

    it('waits between 90 % and 100 % of its interval', async () => {
      const turns: number[] = [];
      const refreshers = Array.from({ length: 200 }, (_, index) => {
        const load = async (previous?: number) =>
          previous === undefined ? index : turns.push(index);
        return create(load, { intervalMs: 50_000 }).refresher;
      });
      await Promise.all(refreshers.map((refresher) => refresher.refresh()));
      for (const refresher of refreshers) void refresher.start();
      await pass(44_999);
      expect(turns).to.deep.equal([]);
      mock.timers.tick(5_001);
      for (const refresher of refreshers) refresher.stop();
      expect(turns).to.have.length(200);
      expect(turns).to.not.deep.equal(turns.toSorted((left, right) => left - right));
    });
  });
});
