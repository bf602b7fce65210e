import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Allowance, QuotaWindow } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { windowLengthMs } from '../../src/quota/quota.ts';

export interface OpenedQuotas {
  readonly quotas: QuotaStore;
  /** The clock of `elapsed()` that the deadlines are told by. */
  readonly clock: Clock;
  close(): Promise<void>;
}

/** No test is to see a boundary between windows, and none of them lasts this long (milliseconds). */
const roomMs = 5_000;

/** What the port promises of every store, whatever clock it goes by. */
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
    const spend = (allowance: Allowance) => opened.quotas.consume(allowance, deadline());
    const read = (allowance: Allowance) => opened.quotas.read(allowance, deadline());
    const spendMany = (allowance: Allowance, times: number) =>
      Promise.all(Array.from({ length: times }, () => spend(allowance)));
    const grantsOf = async (allowance: Allowance, times: number): Promise<number> =>
      (await spendMany(allowance, times)).filter(({ granted }) => granted).length;

    before(async () => {
      opened = await open();
    });
    beforeEach(async () => {
      // Every boundary is one between minutes.
      const { msLeft } = await read(allow(1));
      if (msLeft < roomMs) await sleep(msLeft + 50);
    });
    after(() => opened?.close());

    it('grants exactly the limit of many simultaneous requests', async () => {
      const allowance = allow(10);
      const standings = await spendMany(allowance, 200);
      const granted = standings.filter((standing) => standing.granted);
      expect(granted.map(({ used }) => used).sort((one, other) => one - other)).to.deep.equal([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
      for (const { used } of standings.filter((standing) => !standing.granted)) expect(used).to.equal(10);
    });

    it('counts nothing for a refusal', async () => {
      const allowance = allow(3);
      await spendMany(allowance, 50);
      expect((await read(allowance)).used).to.equal(3);
      expect(await grantsOf({ ...allowance, limit: 5 }, 50)).to.equal(2);
    });

    for (const window of ['minute', 'hour', 'day'] as const) {
      it(`tells the end of the ${window}, which is a boundary of the clock`, async () => {
        const allowance = allow(2, window);
        const standings = [await read(allowance), ...(await spendMany(allowance, 5)), await read(allowance)];
        const ends = new Set(standings.map(({ endsAt }) => endsAt));
        expect(ends.size).to.equal(1);
        for (const { endsAt, msLeft } of standings) {
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
        await spend(allowance);
      }
    });

    it('takes a unit back', async () => {
      const allowance = allow(2);
      const first = await spend(allowance);
      await spend(allowance);
      await opened.quotas.refund(allowance, first, deadline());
      expect(await read(allowance)).to.include({ used: 1, granted: true });
      expect(await grantsOf(allowance, 5)).to.equal(1);
    });

    it('never goes below zero', async () => {
      const allowance = allow(2);
      const standing = await spend(allowance);
      for (let times = 0; times < 4; times += 1) await opened.quotas.refund(allowance, standing, deadline());
      expect((await read(allowance)).used).to.equal(0);
      expect(await grantsOf(allowance, 10)).to.equal(2);
    });

    it('takes nothing out of a later window than the one it was spent in', async () => {
      const allowance = allow(5);
      await spendMany(allowance, 3);
      const standing = await read(allowance);
      const earlier = { ...standing, endsAt: standing.endsAt - windowLengthMs('minute') };
      await opened.quotas.refund(allowance, earlier, deadline());
      expect((await read(allowance)).used).to.equal(3);
    });

    it('keeps the count when the limit changes within the window', async () => {
      const allowance = allow(4);
      expect(await grantsOf(allowance, 3)).to.equal(3);
      const lowered = { ...allowance, limit: 2 };
      expect(await spend(lowered)).to.include({ granted: false, used: 2 });
      expect(await read(lowered)).to.include({ granted: false, used: 2 });
      expect(await grantsOf({ ...allowance, limit: 6 }, 10)).to.equal(3);
    });

    it('grants nothing of a limit of 0', async () => {
      const allowance = allow(0);
      expect(await spend(allowance)).to.include({ granted: false, used: 0 });
      expect(await read(allowance)).to.include({ granted: false, used: 0 });
    });

    it('counts every subject and every window on its own', async () => {
      const minute = allow(2);
      const hour = { ...minute, window: 'hour' as const };
      const other = allow(2);
      expect(await grantsOf(minute, 5)).to.equal(2);
      expect(await grantsOf(hour, 5)).to.equal(2);
      expect(await grantsOf(other, 5)).to.equal(2);
    });

    it('tells subjects apart whatever they are made of', async () => {
      const odd = ['key:a}b', 'key:a}', 'key:{a', 'key:a b', 'key:a\r\nb', 'key:ä', 'key:*', 'key:a:minute'];
      for (const subject of odd) await grantsOf(allow(3, 'minute', subject), 2);
      for (const subject of odd) expect((await read(allow(3, 'minute', subject))).used, subject).to.equal(2);
    });
  });
};
