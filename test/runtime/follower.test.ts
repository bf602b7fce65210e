import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createFollower, type FollowerOptions } from '../../src/runtime/follower.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';

/** A clock whose wall is out of bounds: freshness is a matter of time that passed. */
const elapsing = createManualClock();
const clock = {
  elapsed: elapsing.elapsed,
  now: (): number => {
    throw new Error('the wall clock was read');
  },
};

const follow = <Value>(load: FollowerOptions<Value>['load'], given: Partial<FollowerOptions<Value>> = {}) => {
  const log = createMemoryLog();
  const options = { name: 'numbers', load, intervalMs: 5, maxStalenessMs: 1_000, clock, log, ...given };
  return { follower: createFollower(options), log };
};

/** A source that gives these one after the other: a number, or an error that it rejects with. */
const giving = (...results: (number | Error)[]) => {
  const rest = [...results];
  return async (): Promise<number> => {
    const result = rest.shift() ?? 0;
    if (result instanceof Error) throw result;
    return result;
  };
};

const deferred = () => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};

describe('follower', () => {
  it('has no value, no age and is not fresh before its source answered', async () => {
    const { follower } = follow(giving(new Error('down')));
    await catchError(follower.refresh);
    expect([follower.value(), follower.age(), follower.isFresh()]).to.deep.equal([undefined, undefined, false]);
  });

  it('keeps the last good value while its source fails, and passes the failure on', async () => {
    const failure = new Error('down');
    const { follower } = follow(giving(7, failure, 8));
    await follower.refresh();
    expect(await catchError(follower.refresh)).to.equal(failure);
    expect(follower.value()).to.equal(7);
    await follower.refresh();
    expect(follower.value()).to.equal(8);
  });

  it('is fresh as long as its source answered no longer ago than it may', async () => {
    const { follower } = follow(giving(7, new Error('down'), 8));
    await follower.refresh();
    elapsing.advance(1_000);
    await catchError(follower.refresh);
    expect([follower.age(), follower.isFresh()]).to.deep.equal([1_000, true]);
    elapsing.advance(1);
    expect([follower.age(), follower.isFresh(), follower.value()]).to.deep.equal([1_001, false, 7]);
    await follower.refresh();
    expect([follower.age(), follower.isFresh(), follower.value()]).to.deep.equal([0, true, 8]);
  });

  it('is fresh with a value that is undefined or the one it had', async () => {
    const { follower } = follow(async () => undefined);
    await follower.refresh();
    expect(follower.isFresh()).to.equal(true);
  });

  it('loads once for refreshes that overlap, and again after that', async () => {
    let loads = 0;
    const { follower } = follow(async () => ++loads);
    await Promise.all([follower.refresh(), follower.refresh(), follower.refresh()]);
    expect([loads, follower.value()]).to.deep.equal([1, 1]);
    await follower.refresh();
    expect([loads, follower.value()]).to.deep.equal([2, 2]);
  });

  it('shows its source the value that is to be replaced', async () => {
    const { follower } = follow<readonly number[]>(async (previous = []) => [...previous, previous.length]);
    await follower.refresh();
    await follower.refresh();
    expect(follower.value()).to.deep.equal([0, 1]);
  });

  it('refreshes on its interval, logs a failure and goes on', async () => {
    const failure = new Error('down');
    const load = giving(1, failure, 2);
    const { promise, resolve } = deferred();
    const { follower, log } = follow(async () => {
      const value = await load();
      if (value === 2) resolve();
      return value;
    });
    follower.start();
    await promise;
    follower.stop();
    expect(log.entries).to.deep.equal([
      { level: 'error', event: 'refresh failed', facts: { source: 'numbers', err: failure } },
    ]);
  });

  it('does not refresh any more when it is stopped', async () => {
    let loads = 0;
    const { follower } = follow(async () => ++loads);
    await follower.refresh();
    follower.start();
    follower.stop();
    await sleep(20);
    expect(loads).to.equal(1);
  });

  it('runs once however often it is started, and not again when it was stopped', async () => {
    let loads = 0;
    const { follower } = follow(async () => ++loads, { intervalMs: 200 });
    await follower.refresh();
    follower.start();
    follower.start();
    await sleep(250); // the first turn is over by 200 ms, the second not before 360
    expect(loads).to.equal(2);
    follower.stop();
    follower.start();
    await sleep(250);
    expect(loads).to.equal(2);
  });

  it('does not go on when it is stopped in the middle of a refresh', async () => {
    let loads = 0;
    const { follower } = follow(async () => {
      loads += 1;
      await sleep(5);
    });
    follower.start();
    follower.stop();
    await sleep(25);
    expect(loads).to.equal(1);
  });

  it('loads at once when it is started without a value, and else waits for its turn', async () => {
    let loads = 0;
    const load = async () => ++loads;
    const [empty, loaded] = [follow(load).follower, follow(load, { intervalMs: 60_000 }).follower];
    empty.start();
    expect(loads).to.equal(1);
    empty.stop();
    await loaded.refresh();
    loaded.start();
    expect(loads).to.equal(2);
    loaded.stop();
  });

  it('waits up to a tenth less than its interval, and never longer', async () => {
    const turns: number[] = [];
    const followers = Array.from({ length: 200 }, (_, place) => {
      const load = async (previous?: number) => (previous === undefined ? place : turns.push(place));
      return follow(load, { intervalMs: 50 }).follower;
    });
    await Promise.all(followers.map((follower) => follower.refresh()));
    // Timers fire in the order of their ends, however busy the machine is.
    const early = sleep(44).then(() => turns.length);
    for (const follower of followers) follower.start();
    const late = sleep(51).then(() => turns.length);
    expect([await early, await late]).to.deep.equal([0, 200]);
    for (const follower of followers) follower.stop();
    expect(turns).to.not.deep.equal(turns.toSorted((left, right) => left - right));
  });
});
