import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { quotaCheck } from '../../src/quota/health-check.ts';
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

/** A store that records its calls in order and fails the ones in `failing`. */
const recordCalls = (store: QuotaStore, failing: readonly string[] = []) => {
  const calls: string[] = [];
  const call = async <Result>(name: string, allowances: readonly Allowance[], ask: () => Promise<Result>) => {
    const made = `${name} ${allowances.map(({ window }) => window).join(' ')}`;
    calls.push(made);
    if (failing.includes(made)) throw new Error('down');
    return ask();
  };
  const observed: QuotaStore = {
    consume: (allowances, until) => call('consume', allowances, () => store.consume(allowances, until)),
    refund: (allowance, status, until) => call('refund', [allowance], () => store.refund(allowance, status, until)),
    read: (allowance, until) => call('read', [allowance], () => store.read(allowance, until)),
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
    it(`has the end ${end} for the ${window} of ${instant}`, () => {
      expect(windowEnd(window, Date.parse(instant))).to.equal(Date.parse(end));
      expect(windowEnd(window, Date.parse(instant)) - windowLengthMs(window)).to.be.at.most(Date.parse(instant));
    });
  }

  it('consumes one unit of each allowance with one call', async () => {
    const { store, used } = open();
    const { store: observed, calls } = recordCalls(store);
    const result = await consume(observed, [minute(2), day(5)], deadline);
    expect(calls).to.deep.equal(['consume minute day']);
    expect(result.refusal ?? result.failure).to.equal(undefined);
    expect(result.charges.map(({ allowance, status }) => [allowance.window, status])).to.deep.equal([
      ['minute', { granted: true, used: 1, endsAt: Date.parse('2026-08-22T12:01:00Z'), msLeft: 60_000 }],
      ['day', { granted: true, used: 1, endsAt: Date.parse('2026-08-23T00:00:00Z'), msLeft: 43_200_000 }],
    ]);
    expect(await used(minute(2), day(5))).to.deep.equal([1, 1]);
  });

  for (const [refusing, spared, perMinute, perDay] of [
    ['minute', 'day', 1, 5],
    ['day', 'minute', 9, 1],
  ] as const) {
    it(`does not charge the ${spared} when the ${refusing} refuses, and returns the status of both`, async () => {
      const { store, used } = open();
      const allowances = [minute(perMinute), day(perDay)];
      await consume(store, allowances, deadline);
      const { store: observed, calls } = recordCalls(store);
      const { refusal, charges } = await consume(observed, allowances, deadline);
      expect(calls).to.deep.equal(['consume minute day']);
      expect(refusal?.allowance.window).to.equal(refusing);
      expect(charges.map(({ allowance, status }) => [allowance.window, status.used])).to.deep.equal([
        ['minute', 1],
        ['day', 1],
      ]);
      expect(await used(...allowances)).to.deep.equal([1, 1]);
    });
  }

  it('grants exactly the limit in each minute, and again from the first millisecond of the next', async () => {
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

  it('begins a day at UTC midnight', async () => {
    const { clock, store, used } = open('2026-08-22T23:59:59.999Z');
    await consume(store, [day(1)], deadline);
    expect((await consume(store, [day(1)], deadline)).refusal?.status.msLeft).to.equal(1);
    clock.advance(1);
    expect(await used(day(1))).to.deep.equal([0]);
    expect((await consume(store, [day(1)], deadline)).refusal).to.equal(undefined);
  });

  it('refunds the window that was charged, not a later one', async () => {
    const { clock, store, used } = open('2026-08-22T12:00:59.999Z');
    const earlier = await consume(store, [minute(5), day(5)], deadline);
    clock.advance(1);
    await consume(store, [minute(5), day(5)], deadline);
    expect(await used(minute(5), day(5))).to.deep.equal([1, 2]);
    await refund(store, earlier.charges, deadline);
    expect(await used(minute(5), day(5))).to.deep.equal([1, 1]);
  });

  it('names the first of two spent windows as the one that refuses', async () => {
    const { refusal } = await consume(open().store, [minute(0), day(0)], deadline);
    expect(refusal?.allowance.window).to.equal('minute');
  });

  it('fails when the store fails, and has no charges to refund', async () => {
    const { store, used } = open();
    const receipt = await consume(recordCalls(store, ['consume minute day']).store, [minute(5), day(5)], deadline);
    expect(receipt.failure).to.be.an('error').with.property('message', 'down');
    expect(receipt.charges).to.deep.equal([]);
    expect(receipt.refusal).to.equal(undefined);
    expect(await used(minute(5), day(5))).to.deep.equal([0, 0]);
  });

  it('rejects when a refund fails', async () => {
    const { store } = open();
    const { charges } = await consume(store, [minute(5)], deadline);
    const failure = await catchError(() => refund(recordCalls(store, ['refund minute']).store, charges, deadline));
    expect(failure).to.be.an('error').with.property('message', 'down');
  });
});

describe('health check of quotas', () => {
  it('consumes one unit and refunds it', async () => {
    const { clock, store, used } = open();
    const { store: observed, calls } = recordCalls(store);
    expect(await quotaCheck(observed, clock, 250).check()).to.equal(undefined);
    expect(calls).to.deep.equal(['consume minute', 'refund minute']);
    expect(await used({ ...minute(1), subject: 'probe:readiness' })).to.deep.equal([0]);
  });
});
