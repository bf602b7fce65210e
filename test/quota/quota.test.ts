import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quota.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { consume, refund, windowEnd, windowLengthMs } from '../../src/quota/quota.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';

const deadline = Number.POSITIVE_INFINITY;
const minute = (limit: number): Allowance => ({ window: 'minute', limit, subject: 'organization:a' });
const day = (limit: number): Allowance => ({ window: 'day', limit, subject: 'organization:a' });

const open = (start?: string) => {
  const clock = createManualClock(start);
  const store = createEmbeddedQuotas(clock);
  const used = async (...allowances: Allowance[]): Promise<number[]> =>
    Promise.all(allowances.map(async (allowance) => (await store.read(allowance, deadline)).used));
  return { clock, store, used };
};

/** The store, writing down in which order it is asked, and failing where it is told to. */
const watched = (store: QuotaStore, failing: readonly string[] = []) => {
  const calls: string[] = [];
  const call = async <Result>(name: string, { window }: Allowance, ask: () => Promise<Result>): Promise<Result> => {
    calls.push(`${name} ${window}`);
    if (failing.includes(`${name} ${window}`)) throw new Error('down');
    return ask();
  };
  const observed: QuotaStore = {
    consume: (allowance, until) => call('spend', allowance, () => store.consume(allowance, until)),
    refund: (allowance, standing, until) => call('refund', allowance, () => store.refund(allowance, standing, until)),
    read: (allowance, until) => call('read', allowance, () => store.read(allowance, until)),
  };
  return { store: observed, calls };
};

describe('quota', () => {
  for (const [window, instant, end] of [
    ['minute', '2026-08-22T12:00:00.000Z', '2026-08-22T12:01:00.000Z'],
    ['minute', '2026-08-22T12:00:59.999Z', '2026-08-22T12:01:00.000Z'],
    ['hour', '2026-08-22T12:00:00.000Z', '2026-08-22T13:00:00.000Z'],
    ['hour', '2026-08-22T12:59:59.999Z', '2026-08-22T13:00:00.000Z'],
    ['day', '2026-08-22T00:00:00.000Z', '2026-08-23T00:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ] as const) {
    it(`ends the ${window} of ${instant} at ${end}`, () => {
      expect(windowEnd(window, Date.parse(instant))).to.equal(Date.parse(end));
      expect(windowEnd(window, Date.parse(instant)) - windowLengthMs(window)).to.be.at.most(Date.parse(instant));
    });
  }

  it('spends one unit of each allowance, the shortest window first', async () => {
    const { store, used } = open();
    const { store: observed, calls } = watched(store);
    const receipt = await consume(observed, [minute(2), day(5)], deadline);
    expect(calls).to.deep.equal(['spend minute', 'spend day']);
    expect(receipt.refusal ?? receipt.failure).to.equal(undefined);
    expect(receipt.charges.map(({ allowance, status }) => [allowance.window, status])).to.deep.equal([
      ['minute', { granted: true, used: 1, endsAt: Date.parse('2026-08-22T12:01:00Z'), msLeft: 60_000 }],
      ['day', { granted: true, used: 1, endsAt: Date.parse('2026-08-23T00:00:00Z'), msLeft: 43_200_000 }],
    ]);
    expect(await used(minute(2), day(5))).to.deep.equal([1, 1]);
  });

  it('spends nothing of the day when the minute refuses, and tells how both stand', async () => {
    const { store, used } = open();
    await consume(store, [minute(1), day(5)], deadline);
    const { store: observed, calls } = watched(store);
    const { refusal, charges } = await consume(observed, [minute(1), day(5)], deadline);
    expect(calls).to.deep.equal(['spend minute', 'read day']);
    expect(refusal?.allowance.window).to.equal('minute');
    expect(charges.map(({ allowance, status }) => [allowance.window, status.used])).to.deep.equal([
      ['minute', 1],
      ['day', 1],
    ]);
    expect(await used(minute(1), day(5))).to.deep.equal([1, 1]);
  });

  it('gives the minute back when the day refuses, and tells how both stand', async () => {
    const { store, used } = open();
    await consume(store, [minute(9), day(1)], deadline);
    const { store: observed, calls } = watched(store);
    const { refusal, charges } = await consume(observed, [minute(9), day(1)], deadline);
    expect(calls).to.deep.equal(['spend minute', 'spend day', 'refund minute']);
    expect(refusal?.allowance.window).to.equal('day');
    expect(charges.map(({ allowance, status }) => [allowance.window, status.used])).to.deep.equal([
      ['minute', 1],
      ['day', 1],
    ]);
    expect(await used(minute(9), day(1))).to.deep.equal([1, 1]);
  });

  it('refuses everything when nothing is allowed', async () => {
    const { store } = open();
    const { refusal } = await consume(store, [minute(0), day(5)], deadline);
    expect(refusal?.status).to.include({ granted: false, used: 0 });
  });

  it('grants exactly the limit in each minute, and again from the first instant of the next', async () => {
    const { clock, store } = open('2026-08-22T23:59:59.999Z');
    const granted = async (): Promise<boolean[]> => {
      const receipts = [await consume(store, [minute(2)], deadline), await consume(store, [minute(2)], deadline)];
      receipts.push(await consume(store, [minute(2)], deadline));
      return receipts.map(({ refusal }) => refusal === undefined);
    };
    expect(await granted()).to.deep.equal([true, true, false]);
    clock.advance(1);
    expect(await granted()).to.deep.equal([true, true, false]);
  });

  it('begins a day with UTC midnight', async () => {
    const { clock, store, used } = open('2026-08-22T23:59:59.999Z');
    await consume(store, [day(1)], deadline);
    expect((await consume(store, [day(1)], deadline)).refusal?.status.msLeft).to.equal(1);
    clock.advance(1);
    expect(await used(day(1))).to.deep.equal([0]);
    expect((await consume(store, [day(1)], deadline)).refusal).to.equal(undefined);
  });

  it('gives back to the window that was spent from, not to a later one', async () => {
    const { clock, store, used } = open('2026-08-22T12:00:59.999Z');
    const earlier = await consume(store, [minute(5), day(5)], deadline);
    clock.advance(1);
    await consume(store, [minute(5), day(5)], deadline);
    expect(await used(minute(5), day(5))).to.deep.equal([1, 2]);
    await refund(store, earlier.charges, deadline);
    expect(await used(minute(5), day(5))).to.deep.equal([1, 1]);
  });

  for (const [failing, windows, left] of [
    ['spend minute', [], [0, 0]],
    ['spend day', ['minute'], [1, 0]],
  ] as const) {
    it(`never lets a request through when "${failing}" fails, and tells what was counted until then`, async () => {
      const { store, used } = open();
      const receipt = await consume(watched(store, [failing]).store, [minute(5), day(5)], deadline);
      expect(receipt.failure).to.be.an('error').with.property('message', 'down');
      expect(receipt.charges.map(({ allowance }) => allowance.window)).to.deep.equal(windows);
      expect(receipt.refusal).to.equal(undefined);
      expect(await used(minute(5), day(5))).to.deep.equal(left);
    });
  }

  for (const [failing, limits] of [
    ['refund minute', [minute(5), day(0)]],
    ['read day', [minute(0), day(5)]],
  ] as const) {
    it(`leaves nothing to be given back twice when "${failing}" fails after a refusal`, async () => {
      const receipt = await consume(watched(open().store, [failing]).store, limits, deadline);
      expect(receipt.failure).to.be.an('error').with.property('message', 'down');
      expect(receipt.charges).to.deep.equal([]);
    });
  }

  it('rejects when a unit cannot be given back', async () => {
    const { store } = open();
    const { charges } = await consume(store, [minute(5)], deadline);
    const failure = await catchError(() => refund(watched(store, ['refund minute']).store, charges, deadline));
    expect(failure).to.be.an('error').with.property('message', 'down');
  });
});
