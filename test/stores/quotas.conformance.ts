import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { consume as consumeAll, windowLengthMs } from '../../src/quota/quota.ts';
import { useStarted } from '../support/cleanup.ts';
import { consumeOne } from '../support/stores/consume-one.ts';

export interface OpenedQuotas {
  readonly quotas: QuotaStore;
  /** The clock whose `elapsed()` the deadlines use. */
  readonly clock: Clock;
  close(): Promise<void>;
}

/**
 * Milliseconds left in the minute when a test starts, so that none crosses a boundary between
 * windows.
 */
const roomMs = 5_000;

const anySubjects = fc.shuffledSubarray(
  ['a}b', 'a}', '{a', 'a b', 'a\r\nb', 'ä', '*', 'a:minute'],
  {
    minLength: 2,
    maxLength: 2,
  },
);
const anyCalls = fc.array(
  fc.record({
    call: fc.constantFrom('consume', 'consume', 'read', 'refund', 'refund before'),
    subject: fc.nat(1),
    windows: fc.constantFrom<QuotaWindow[]>(['minute'], ['hour'], ['minute', 'day']),
    limit: fc.record({ minute: fc.nat(3), hour: fc.nat(3), day: fc.nat(3) }),
  }),
  { minLength: 10, maxLength: 30 },
);

/** Describes what every quota store must do. */
export const describeQuotaStore = (name: string, open: () => Promise<OpenedQuotas>): void => {
  describe(`quota store: ${name}`, function () {
    this.timeout(roomMs + 120_000);
    const opened = useStarted(open, ({ close }) => close());
    let subjects = 0;

    const allow = (limit: number, window: QuotaWindow = 'minute'): Allowance => {
      subjects += 1;
      return { subject: `organization:${subjects}`, window, limit };
    };
    const deadline = (): number => opened.clock.elapsed() + 2_000;
    const consume = (allowance: Allowance) => consumeOne(opened.quotas, allowance, deadline());
    const read = (allowance: Allowance) => opened.quotas.read(allowance, deadline());
    const consumeMany = (allowance: Allowance, times: number) =>
      Promise.all(Array.from({ length: times }, () => consume(allowance)));

    beforeEach(async () => {
      // The boundaries of hours and days are boundaries of minutes too.
      const { msLeft } = await read(allow(1));
      if (msLeft < roomMs) await sleep(msLeft + 50);
    });

    it('grants exactly the limit to simultaneous requests', async () => {
      const allowance = allow(10);
      const statuses = await consumeMany(allowance, 200);
      const granted = statuses.filter((status) => status.granted);
      expect(granted.map(({ used }) => used).sort((one, other) => one - other)).to.deep.equal([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
      for (const { used } of statuses.filter((status) => !status.granted))
        expect(used).to.equal(10);
    });

    for (const window of ['minute', 'hour', 'day'] as const) {
      it(`returns the end of the ${window}, aligned with the clock`, async () => {
        const allowance = allow(2, window);
        const statuses = [
          await read(allowance),
          ...(await consumeMany(allowance, 5)),
          await read(allowance),
        ];
        const ends = new Set(statuses.map(({ endsAt }) => endsAt));
        expect(ends.size).to.equal(1);
        for (const { endsAt, msLeft } of statuses) {
          expect(endsAt % windowLengthMs(window)).to.equal(0);
          expect(msLeft).to.be.within(1, windowLengthMs(window));
        }
      });
    }

    /** Two windows of one subject, as the current form declares them. */
    const bothWindows = (perMinute: number, perDay: number): readonly [Allowance, Allowance] => {
      const minute = allow(perMinute);
      return [minute, { ...minute, window: 'day', limit: perDay }];
    };
    /**
     * What each of many simultaneous requests was told: the window that refused it, and the units
     * used in both.
     */
    const askMany = async (
      allowances: readonly Allowance[],
      times: number,
    ): Promise<readonly string[]> => {
      const asked = Array.from({ length: times }, () =>
        consumeAll(opened.quotas, allowances, deadline()),
      );
      return (await Promise.all(asked)).map(({ refusal, charges, failure }) => {
        if (failure !== undefined) throw failure;
        return `${refusal?.allowance.window ?? 'granted'} ${charges.map(({ status }) => status.used).join(' ')}`;
      });
    };

    for (const [refusing, perMinute, perDay] of [
      ['minute', 3, 100],
      ['minute', 3, 3],
      ['day', 100, 3],
      ['day', 4, 3],
    ] as const) {
      it(`counts in both windows or in none: ${perMinute} a minute, ${perDay} a day, refused by the ${refusing}`, async () => {
        const allowances = bothWindows(perMinute, perDay);
        const told = await askMany(allowances, 100);
        expect(told.slice().sort()).to.deep.equal(
          [
            'granted 1 1',
            'granted 2 2',
            'granted 3 3',
            ...Array(97).fill(`${refusing} 3 3`),
          ].sort(),
        );
        for (const allowance of allowances) expect((await read(allowance)).used).to.equal(3);
      });
    }

    it('answers as a count for each subject and window would, also when the limit changes within the window', async () => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(anySubjects, anyCalls, async (names, calls) => {
          runs += 1;
          const counts = new Map<string, number>();
          for (const { call, windows, ...one } of calls) {
            const subject = `key:${runs}${names[one.subject]}`;
            const allowances = windows.map((window) => ({
              subject,
              window,
              limit: one.limit[window],
            }));
            const used = windows.map((window) => counts.get(`${subject} ${window}`) ?? 0);
            const hasRoom = allowances.map(({ limit }, index) => (used[index] ?? 0) < limit);
            const change = {
              consume: hasRoom.every(Boolean) ? 1 : 0,
              read: 0,
              refund: -1,
              'refund before': 0,
            }[call];
            const after = used.map((count) => Math.max(0, count + change));
            for (const [index, window] of windows.entries())
              counts.set(`${subject} ${window}`, after[index] ?? 0);
            const answered =
              call === 'consume'
                ? await opened.quotas.consume(allowances, deadline())
                : await Promise.all(allowances.map(read));
            if (call !== 'refund' && call !== 'refund before') {
              expect(answered.map(({ granted }) => granted)).to.deep.equal(hasRoom);
              const capped = allowances.map(({ limit }, index) =>
                Math.min(limit, after[index] ?? 0),
              );
              expect(answered.map((status) => status.used)).to.deep.equal(capped);
              continue;
            }
            for (const [index, allowance] of allowances.entries()) {
              const { endsAt = 0 } = answered[index] ?? {};
              const earlier = call === 'refund' ? 0 : windowLengthMs(allowance.window);
              const status = { granted: true, used: 1, msLeft: 1, endsAt: endsAt - earlier };
              await opened.quotas.refund(allowance, status, deadline());
            }
          }
        }),
        { numRuns: 100 },
      );
    });
  });
};
