import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { Clock, QuotaStatus, QuotaStore } from '../../src/ports.ts';
import { consume as consumeAll, windowLengthMs } from '../../src/quota/quota.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { consumeOne, openReadyRedisQuotas } from '../support/redis-quotas.ts';
import { startRedisServer } from '../support/redis-server.ts';

/** The hour must not end in a test: milliseconds that are left when one begins. */
const leastMs = 10_000;

const anySubjects = fc.shuffledSubarray(
  ['a}b', 'a}', '{a', 'a b', 'a\r\nb', 'ä', '*', 'a:minute'],
  { minLength: 2, maxLength: 2 },
);
const anyCalls = fc.array(
  fc.record({
    call: fc.constantFrom('consume', 'consume', 'read', 'refund', 'refund before'),
    subject: fc.nat(1),
    windows: fc.constantFrom<QuotaWindow[]>(['hour'], ['day'], ['hour', 'day']),
    limit: fc.record({ hour: fc.nat(3), day: fc.nat(3), minute: fc.nat(3) }),
  }),
  { minLength: 10, maxLength: 30 },
);

describe('quotas', () => {
  const cleanup = useCleanup(after);

  const openEmbedded = async () => {
    const clock = createManualClock();
    return { quotas: createEmbeddedQuotas(clock), clock };
  };
  const openRedis = async () => {
    const server = await cleanup.start(startRedisServer());
    return cleanup.add(await openReadyRedisQuotas(server.url()), ({ quotas }) => quotas.close());
  };

  for (const [name, open] of [
    ['in memory', openEmbedded],
    ['in Redis', openRedis],
  ] as const)
    describe(name, () => {
      let quotas: QuotaStore;
      let clock: Clock;
      let subjects = 0;
      before(async () => {
        ({ quotas, clock } = await open());
      });
      const allow = (limit: number, window: QuotaWindow = 'hour'): Allowance => {
        subjects += 1;
        return { subject: `organization:${subjects}`, window, limit };
      };
      const deadline = (): number => clock.elapsed() + 2_000;
      const read = (allowance: Allowance) => quotas.read(allowance, deadline());
      const consumeMany = (allowance: Allowance, times: number): Promise<QuotaStatus[]> =>
        Promise.all(Array.from({ length: times }, () => consumeOne(quotas, allowance, deadline())));
      beforeEach(async () => {
        const { msLeft } = await read(allow(1));
        if (msLeft < leastMs) await sleep(msLeft + 50);
      });

      it('grant exactly the limit to concurrent requests', async () => {
        const statuses = await consumeMany(allow(10), 200);
        const used = (isGranted: boolean) =>
          statuses.flatMap((status) => (status.granted === isGranted ? [status.used] : []));
        expect(used(true).sort((one, other) => one - other)).to.deep.equal([
          1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
        ]);
        expect(new Set(used(false))).to.deep.equal(new Set([10]));
      });

      for (const window of ['minute', 'hour', 'day'] as const)
        it(`return the end of the ${window}, aligned with the clock`, async () => {
          const allowance = allow(2, window);
          const statuses = [await read(allowance), ...(await consumeMany(allowance, 5))];
          for (const { endsAt, msLeft } of statuses) {
            expect(endsAt % windowLengthMs(window)).to.equal(0);
            expect(msLeft).to.be.within(1, windowLengthMs(window));
          }
        });

      for (const [refusing, perHour, perDay] of [
        ['hour', 3, 100],
        ['hour', 3, 3],
        ['day', 100, 3],
        ['day', 4, 3],
      ] as const)
        it(`count in both windows or in none: ${perHour} an hour, ${perDay} a day`, async () => {
          const hour = allow(perHour);
          const allowances = [hour, { ...hour, window: 'day', limit: perDay } as const];
          const results = await Promise.all(
            Array.from({ length: 100 }, () => consumeAll(quotas, allowances, deadline())),
          );
          const seen = results.map(({ refusal, charges, failure }) => {
            if (failure !== undefined) throw failure;
            const used = charges.map(({ status }) => status.used).join(' ');
            return `${refusal?.allowance.window ?? 'granted'} ${used}`;
          });
          const refused = Array<string>(97).fill(`${refusing} 3 3`);
          expect(seen).to.have.members(['granted 1 1', 'granted 2 2', 'granted 3 3', ...refused]);
          for (const allowance of allowances) expect((await read(allowance)).used).to.equal(3);
        });

      it('count like a counter for each subject and window, even if the limit changes', async () => {
        let runs = 0;
        const run = fc.asyncProperty(anySubjects, anyCalls, async (names, calls) => {
          runs += 1;
          const counts = new Map<string, number>();
          for (const { call, windows, ...one } of calls) {
            const subject = `key:${runs}${names[one.subject]}`;
            const allowances = windows.map((window) => ({
              ...{ subject, window, limit: one.limit[window] },
            }));
            const used = windows.map((window) => counts.get(`${subject} ${window}`) ?? 0);
            const hasRoom = allowances.map(({ limit }, index) => (used[index] ?? 0) < limit);
            const consumed = call === 'consume' && hasRoom.every(Boolean) ? 1 : 0;
            const change = call === 'refund' ? -1 : consumed;
            const after = used.map((count) => Math.max(0, count + change));
            for (const [index, window] of windows.entries())
              counts.set(`${subject} ${window}`, after[index] ?? 0);
            const answered =
              call === 'consume'
                ? await quotas.consume(allowances, deadline())
                : await Promise.all(allowances.map(read));
            if (!call.startsWith('refund')) {
              const expected = allowances.map(({ limit }, index) => ({
                granted: hasRoom[index],
                used: Math.min(limit, after[index] ?? 0),
              }));
              const seen = answered.map((status) => ({
                ...{ granted: status.granted, used: status.used },
              }));
              expect(seen).to.deep.equal(expected);
              continue;
            }
            for (const [index, allowance] of allowances.entries()) {
              const earlier = call === 'refund' ? 0 : windowLengthMs(allowance.window);
              const endsAt = (answered[index]?.endsAt ?? 0) - earlier;
              const status = { granted: true, used: 1, msLeft: 1, endsAt };
              await quotas.refund(allowance, status, deadline());
            }
          }
        });
        await fc.assert(run, { numRuns: 100 });
      });
    });
});
