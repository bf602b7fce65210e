import { expect } from 'chai';
import fc from 'fast-check';
import { readRedisUrl } from '../../adapters/stores/redis/address.ts';
import { openRedis, type RedisClient } from '../../adapters/stores/redis/connection.ts';
import { createRedisCounter } from '../../adapters/stores/redis/counter.ts';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { consume } from '../../src/quota/quota.ts';
import { replay } from '../../src/quota/replay.ts';
import { createCleanup } from '../support/cleanup.ts';
import { createSettableClock, type SettableClock } from '../support/nemesis/settable-clock.ts';
import { freePort } from '../support/ports.ts';
import { startRedisProcess } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const runs = Number(process.env['REPLAY_RUNS'] ?? 20);
const seed = Number(process.env['REPLAY_SEED'] ?? Date.now() % 2 ** 31);

const minuteMs = 60_000;
const weekMinutes = 7 * 1440;

/** Busy minutes of a week, several of them next to each other. */
const anyHistory = fc.uniqueArray(
  fc.record({
    minute: fc.oneof(
      fc.nat(weekMinutes - 1),
      fc.nat({ max: 6 }).map((day) => day * 1440 + 1439),
      fc.nat(5),
    ),
    requests: fc.integer({ min: 1, max: 14 }),
  }),
  { minLength: 1, maxLength: 25, selector: ({ minute }) => minute },
);
const limit = fc.integer({ min: 0, max: 12 });
const anyLimits = fc.oneof(
  fc.tuple(limit, fc.nat(60)).map(([minute, day]) => ({ minute, day })),
  fc.nat(20).map((hour) => ({ hour })),
);

describe('quota replay beside Redis', function () {
  this.timeout(Math.max(60_000, runs * 3_000));
  const cleanup = createCleanup();
  let clock: SettableClock;
  let client: RedisClient;

  before(async () => {
    clock = createSettableClock(await cleanup.makeFolder('replay'), 'clock');
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const server = await cleanup.start(startRedisProcess(port, options, undefined, clock.environment));
    client = cleanup.add(openRedis(readRedisUrl(server.url()), 5_000), async (one) => one.disconnect());
    await until('Redis is ready', async () => client.status === 'ready');
  });
  after(() => cleanup.run());

  /** The real counter of the Redis store, in the middle of a minute to which the clock of Redis was set. */
  const storeAt = (instant: number): QuotaStore => {
    const ahead = Math.round((instant - Date.now()) / 1000);
    clock.set(ahead);
    const elapsed = () => Date.now() + ahead * 1000;
    const time = { offset: () => 0, refresh() {}, stop() {} };
    const counter = createRedisCounter(client, { now: elapsed, elapsed }, time);
    return {
      consume: (allowances, deadline) => counter.consume(allowances, deadline, () => {}),
      refund: (allowance, { endsAt }) => counter.refund(allowance, endsAt),
      read: () => Promise.reject(new Error('nothing is read')),
    };
  };

  it(`refuses what Redis refuses, over ${runs} random weeks (seed ${seed})`, async () => {
    const day = Math.ceil(Date.now() / 86_400_000) * 86_400_000;
    let history = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, anyLimits, async (minutes, limits) => {
        history += 1;
        // Later weeks never meet an earlier clock, and have a subject of their own.
        const start = day + history * weekMinutes * minuteMs;
        const subject = `organization:${seed}-${history}`;
        const allowances = Object.entries(limits).map(
          ([window, max]): Allowance => ({ window: window as QuotaWindow, limit: max, subject }),
        ); // Object.entries widens the names of the windows
        const counts = minutes
          .map(
            ({ minute, requests }): MinuteCount => ({
              keyId: 'k',
              organizationId: 'a',
              minute: start + minute * minuteMs,
              requests,
              refused: 0,
            }),
          )
          .sort((left, right) => left.minute - right.minute);
        let granted = 0;
        for (const { minute, requests } of counts) {
          const store = storeAt(minute + minuteMs / 2);
          for (let request = 0; request < requests; request += 1) {
            const { refusal, failure } = await consume(store, allowances, minute + minuteMs);
            expect(failure).to.equal(undefined);
            if (refusal === undefined) granted += 1;
          }
        }
        const { asked, refused } = replay(counts, allowances);
        expect(granted).to.equal(asked - refused);
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
  });
});
