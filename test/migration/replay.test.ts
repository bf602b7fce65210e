import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import { consume } from '../../src/quota/quota.ts';
import { replay } from '../../tools/migration/replay.ts';
import { createManualClock } from '../support/clock.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-14T00:00:00Z');
const allowance = (window: QuotaWindow, limit: number): Allowance => ({
  window,
  limit,
  subject: 'organization:a',
});
const counted = (minute: number, requests: number, refused = 0, keyId = 'k'): MinuteCount => ({
  keyId,
  organizationId: 'a',
  minute: start + minute * minuteMs,
  requests,
  refused,
});

/** Consumes request by request in the embedded store; how many requests each window refuses. */
const askOneByOne = async (counts: readonly MinuteCount[], allowances: readonly Allowance[]) => {
  const clock = createManualClock(new Date(start).toISOString());
  const store = createEmbeddedQuotas(clock);
  const refused = new Map<string, number>();
  for (const { minute, requests } of [...counts].sort(
    (left, right) => left.minute - right.minute,
  )) {
    clock.advance(minute - clock.now());
    for (let request = 0; request < requests; request += 1) {
      const { refusal, failure } = await consume(store, allowances, Number.POSITIVE_INFINITY);
      expect(failure).to.equal(undefined);
      if (refusal === undefined) continue;
      const name = `${refusal.allowance.window} until ${refusal.status.endsAt}`;
      refused.set(name, (refused.get(name) ?? 0) + 1);
    }
  }
  return refused;
};

const lengths = { minute: minuteMs, hour: 60 * minuteMs, day: 1440 * minuteMs };

const replayed = (counts: readonly MinuteCount[], allowances: readonly Allowance[]) =>
  new Map(
    replay(counts, allowances).refusals.flatMap(({ window, full }) =>
      full.map(
        ({ startsAt, refused }) =>
          [`${window} until ${startsAt + lengths[window]}`, refused] as const,
      ),
    ),
  );

/**
 * A few minutes of a few days, so that they share hours and days; several keys may share a minute.
 */
const anyCounts = fc.array(
  fc
    .record({
      day: fc.nat(2),
      minute: fc.oneof(fc.nat(3), fc.constantFrom(59, 60, 61, 1439)),
      requests: fc.nat(12),
      keyId: fc.constantFrom('k', 'l'),
    })
    .map(({ day, minute, requests, keyId }) => counted(day * 1440 + minute, requests, 0, keyId)),
  { maxLength: 12 },
);

const limit = fc.oneof(fc.nat(8), fc.nat(40));
const anyAllowances = fc.oneof(
  fc
    .tuple(limit, limit)
    .map(([perMinute, perDay]) => [allowance('minute', perMinute), allowance('day', perDay)]),
  limit.map((perHour) => [allowance('hour', perHour)]),
);

describe('quota replay', () => {
  it('refuses as many requests as the store would', async () => {
    await fc.assert(
      fc.asyncProperty(anyCounts, anyAllowances, async (counts, allowances) => {
        expect(replayed(counts, allowances)).to.deep.equal(await askOneByOne(counts, allowances));
      }),
      { numRuns: 200 },
    );
  });

  it('finds the least limits that refuse nothing', () => {
    fc.assert(
      fc.property(anyCounts, anyAllowances, (counts, allowances) => {
        const enough = replay(counts, allowances).refusals.map(({ window, peak }) =>
          allowance(window, peak),
        );
        expect(replay(counts, enough).refused).to.equal(0);
        for (const [index, { window, limit: peak }] of enough.entries()) {
          if (peak === 0) continue;
          expect(
            replay(counts, enough.with(index, allowance(window, peak - 1))).refused,
          ).to.be.greaterThan(0);
        }
      }),
    );
  });

  it('finds limits that suffice together, not one of them alone', () => {
    const counts = Array.from({ length: 100 }, (_, minute) => counted(minute, 20));
    const limits = [allowance('minute', 10), allowance('day', 1000)] as const;
    const enough = replay(counts, limits).refusals.map(({ peak }) => peak);
    expect(enough).to.deep.equal([20, 2000]);
    const refusedWith = (perMinute: number, perDay: number) =>
      replay(counts, [allowance('minute', perMinute), allowance('day', perDay)]).refused;
    expect([refusedWith(20, 1000), refusedWith(10, 2000), refusedWith(20, 2000)]).to.deep.equal([
      1000, 1000, 0,
    ]);
  });

  it('sums the keys of an organization, and their past refusals', () => {
    const counts = [counted(0, 6, 2, 'k'), counted(0, 7, 1, 'l'), counted(1, 10, 0, 'k')];
    const result = replay(counts, [allowance('minute', 10), allowance('day', 1000)]);
    expect(result).to.deep.include({ asked: 23, refusedThen: 3, refused: 3 });
    expect(result.refusals).to.deep.equal([
      {
        window: 'minute',
        limit: 10,
        requests: 3,
        full: [{ startsAt: start, asked: 13, refused: 3 }],
        peak: 13,
      },
      { window: 'day', limit: 1000, requests: 0, full: [], peak: 23 },
    ]);
  });
});
