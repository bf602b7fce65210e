import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { consume as consumeAll, windowLengthMs } from '../../src/quota/quota.ts';
import { consumeOne } from '../support/stores/consume-one.ts';

export interface OpenedQuotas {
  readonly quotas: QuotaStore;
  /** The clock whose `elapsed()` the deadlines use. */
  readonly clock: Clock;
  close(): Promise<void>;
}

/** Milliseconds left in the minute when a test starts, so that none crosses a boundary between windows. */
const roomMs = 5_000;

/** Describes what every quota store must do. */
export const describeQuotaStore = (name: string, open: () => Promise<OpenedQuotas>): void => {
  describe(`quota store: ${name}`, function () {
    this.timeout(roomMs + 15_000);
    let opened: OpenedQuotas;
    let subjects = 0;

    const allow = (limit: number, window: QuotaWindow = 'minute', subject?: string): Allowance => {
      subjects += 1;
      return { subject: subject ?? `organization:${subjects}`, window, limit };
    };
    const deadline = (): number => opened.clock.elapsed() + 2_000;
    const consume = (allowance: Allowance) => consumeOne(opened.quotas, allowance, deadline());
    const read = (allowance: Allowance) => opened.quotas.read(allowance, deadline());
    const consumeMany = (allowance: Allowance, times: number) =>
      Promise.all(Array.from({ length: times }, () => consume(allowance)));
    const grantsOf = async (allowance: Allowance, times: number): Promise<number> =>
      (await consumeMany(allowance, times)).filter(({ granted }) => granted).length;

    before(async () => {
      opened = await open();
    });
    beforeEach(async () => {
      // The boundaries of hours and days are boundaries of minutes too.
      const { msLeft } = await read(allow(1));
      if (msLeft < roomMs) await sleep(msLeft + 50);
    });
    after(() => opened?.close());

    it('grants exactly the limit to simultaneous requests', async () => {
      const allowance = allow(10);
      const statuses = await consumeMany(allowance, 200);
      const granted = statuses.filter((status) => status.granted);
      expect(granted.map(({ used }) => used).sort((one, other) => one - other)).to.deep.equal([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
      for (const { used } of statuses.filter((status) => !status.granted)) expect(used).to.equal(10);
    });

    it('does not count refusals', async () => {
      const allowance = allow(3);
      await consumeMany(allowance, 50);
      expect((await read(allowance)).used).to.equal(3);
      expect(await grantsOf({ ...allowance, limit: 5 }, 50)).to.equal(2);
    });

    for (const window of ['minute', 'hour', 'day'] as const) {
      it(`returns the end of the ${window}, aligned with the clock`, async () => {
        const allowance = allow(2, window);
        const statuses = [await read(allowance), ...(await consumeMany(allowance, 5)), await read(allowance)];
        const ends = new Set(statuses.map(({ endsAt }) => endsAt));
        expect(ends.size).to.equal(1);
        for (const { endsAt, msLeft } of statuses) {
          expect(endsAt % windowLengthMs(window)).to.equal(0);
          expect(msLeft).to.be.within(1, windowLengthMs(window));
        }
      });
    }

    it('reads without counting', async () => {
      const allowance = allow(2);
      for (const [used, granted] of [
        [0, true],
        [1, true],
        [2, false],
      ] as const) {
        for (let times = 0; times < 3; times += 1) expect(await read(allowance)).to.include({ used, granted });
        await consume(allowance);
      }
    });

    it('refunds a unit', async () => {
      const allowance = allow(2);
      const first = await consume(allowance);
      await consume(allowance);
      await opened.quotas.refund(allowance, first, deadline());
      expect(await read(allowance)).to.include({ used: 1, granted: true });
      expect(await grantsOf(allowance, 5)).to.equal(1);
    });

    it('never goes below zero', async () => {
      const allowance = allow(2);
      const status = await consume(allowance);
      for (let times = 0; times < 4; times += 1) await opened.quotas.refund(allowance, status, deadline());
      expect((await read(allowance)).used).to.equal(0);
      expect(await grantsOf(allowance, 10)).to.equal(2);
    });

    it('refunds nothing to a later window than the one charged', async () => {
      const allowance = allow(5);
      await consumeMany(allowance, 3);
      const status = await read(allowance);
      const earlier = { ...status, endsAt: status.endsAt - windowLengthMs('minute') };
      await opened.quotas.refund(allowance, earlier, deadline());
      expect((await read(allowance)).used).to.equal(3);
    });

    it('keeps the count when the limit changes within the window', async () => {
      const allowance = allow(4);
      expect(await grantsOf(allowance, 3)).to.equal(3);
      const lowered = { ...allowance, limit: 2 };
      expect(await consume(lowered)).to.include({ granted: false, used: 2 });
      expect(await read(lowered)).to.include({ granted: false, used: 2 });
      expect(await grantsOf({ ...allowance, limit: 6 }, 10)).to.equal(3);
    });

    it('grants nothing with a limit of 0', async () => {
      const allowance = allow(0);
      expect(await consume(allowance)).to.include({ granted: false, used: 0 });
      expect(await read(allowance)).to.include({ granted: false, used: 0 });
    });

    it('counts every subject and window separately', async () => {
      const minute = allow(2);
      const hour = { ...minute, window: 'hour' as const };
      const other = allow(2);
      expect(await grantsOf(minute, 5)).to.equal(2);
      expect(await grantsOf(hour, 5)).to.equal(2);
      expect(await grantsOf(other, 5)).to.equal(2);
    });

    /** Two windows of one subject, as the current form declares them. */
    const bothWindows = (perMinute: number, perDay: number): readonly [Allowance, Allowance] => {
      const minute = allow(perMinute);
      return [minute, { ...minute, window: 'day', limit: perDay }];
    };
    /** What each of many simultaneous requests was told: the window that refused it, and the units used in both. */
    const askMany = async (allowances: readonly Allowance[], times: number): Promise<readonly string[]> => {
      const asked = Array.from({ length: times }, () => consumeAll(opened.quotas, allowances, deadline()));
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
          ['granted 1 1', 'granted 2 2', 'granted 3 3', ...Array(97).fill(`${refusing} 3 3`)].sort(),
        );
        for (const allowance of allowances) expect((await read(allowance)).used).to.equal(3);
      });
    }

    it('tells of every window whether it has room', async () => {
      for (const [perMinute, perDay] of [
        [1, 2],
        [2, 1],
        [1, 1],
      ] as const) {
        const allowances = bothWindows(perMinute, perDay);
        const roomIn = async () => (await opened.quotas.consume(allowances, deadline())).map(({ granted }) => granted);
        expect(await roomIn()).to.deep.equal([true, true]);
        expect(await roomIn()).to.deep.equal([perMinute > 1, perDay > 1]);
      }
    });

    it('gives the unit of each window back', async () => {
      const allowances = bothWindows(3, 3);
      const [minute, day] = allowances;
      const [inMinute, inDay] = await opened.quotas.consume(allowances, deadline());
      if (inMinute === undefined || inDay === undefined) throw new Error('Two allowances have two statuses.');
      await opened.quotas.refund(minute, inMinute, deadline());
      expect([(await read(minute)).used, (await read(day)).used]).to.deep.equal([0, 1]);
      await opened.quotas.refund(day, inDay, deadline());
      expect([(await read(minute)).used, (await read(day)).used]).to.deep.equal([0, 0]);
    });

    it('separates subjects with special characters', async () => {
      const odd = ['key:a}b', 'key:a}', 'key:{a', 'key:a b', 'key:a\r\nb', 'key:ä', 'key:*', 'key:a:minute'];
      for (const subject of odd) await grantsOf(allow(3, 'minute', subject), 2);
      for (const subject of odd) expect((await read(allow(3, 'minute', subject))).used, subject).to.equal(2);
    });
  });
};
