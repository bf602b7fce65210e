import { expect } from 'chai';
import type { DayTotal } from '../../src/domain/usage.ts';
import { createUsageCounter } from '../../src/usage/counter.ts';
import { createManualClock } from '../support/clock.ts';
import { buildUsageEvent, unwrittenTotals } from '../support/usage.ts';

const noon = Date.parse('2026-08-22T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;

const createCounter = (limits = { days: 10, hours: 10 }) => {
  const clock = createManualClock('2026-08-22T12:00:00.000Z');
  return { clock, ...createUsageCounter({ clock, instance: 'one', limits }) };
};

type Counter = ReturnType<typeof createCounter>;

const confirmAll = (counter: Counter): void => {
  for (const { confirm } of counter.unwritten()) confirm();
};

const minutesOf = (counter: Counter) =>
  unwrittenTotals(counter).hours.map(({ id: _id, minutes, ...hour }) => ({
    ...hour,
    minutes: [...minutes],
  }));

describe('usage counter', () => {
  it('counts by day, key, form, route and status', () => {
    const counter = createCounter();
    const events = [
      {},
      { keyId: 'key2' },
      { form: 'current' },
      { route: '/api/v1/spikes' },
      { route: undefined, status: 404 },
      { status: 429 },
    ] as const;
    for (const given of events)
      for (let times = 0; times < 3; times++) counter.count(buildUsageEvent(given));
    counter.clock.advance(dayMs);
    counter.count(buildUsageEvent());
    const { days } = unwrittenTotals(counter);
    expect(days).to.have.length(7);
    expect(new Set(days.map(({ id }) => id)).size).to.equal(7);
    const same = { organizationId: 'acme', requests: 3, uses: {}, lastAt: noon, day: '2026-08-22' };
    const first = { keyId: 'key1', form: 'variant', route: '/api/v1/artists', status: 200 };
    expect(days.slice(0, 6).map(({ id: _id, ...day }) => day)).to.deep.equal(
      events.map((given) => ({ ...first, ...same, ...given })),
    );
    expect(days[6]).to.include({ day: '2026-08-23', requests: 1, lastAt: noon + dayMs });
  });

  it('counts the requests that used a parameter, and keeps the time of the last', () => {
    const counter = createCounter();
    counter.count(buildUsageEvent({ uses: ['new', 'fields=basic'] }));
    counter.clock.advance(500);
    counter.count(buildUsageEvent({ uses: ['new', 'limit>100'] }));
    const [day] = unwrittenTotals(counter).days;
    expect(day?.uses).to.deep.equal({ new: 2, 'fields=basic': 1, 'limit>100': 1 });
    expect(day?.lastAt).to.equal(noon + 500);
  });

  it('names 40 calls of a key, route, status and day, and groups the rest', () => {
    const counter = createCounter();
    for (const number of [...Array(45).keys(), 3, 44])
      counter.count(buildUsageEvent({ uses: ['limit', `?limit=${number}`] }));
    counter.count(buildUsageEvent({ uses: ['?limit=44'], status: 404 }));
    const [day, other] = unwrittenTotals(counter).days;
    expect(Object.keys(day?.uses ?? {})).to.have.length(42);
    expect(day?.uses).to.include({ limit: 47, '?limit=3': 2, '?limit=39': 1, '?…': 6 });
    expect(other?.uses).to.deep.equal({ '?limit=44': 1 });
  });

  it('counts requests that reach a quota by the minute, including refused ones', () => {
    const counter = createCounter();
    counter.count(buildUsageEvent());
    expect(minutesOf(counter)).to.deep.equal([]);
    for (const quota of ['granted', 'granted', 'refused'] as const)
      counter.count(buildUsageEvent({ quota }));
    counter.clock.advance(59 * minuteMs + 59_999);
    counter.count(buildUsageEvent({ quota: 'granted' }));
    counter.clock.advance(1);
    counter.count(buildUsageEvent({ quota: 'refused' }));
    // of the arrival, not of the end
    counter.count(buildUsageEvent({ ms: 0.5, quota: 'granted' }));
    const key = { keyId: 'key1', organizationId: 'acme' };
    const first = [0, { requests: 3, refused: 1 }];
    const last = [59, { requests: 2, refused: 0 }];
    const next = [[0, { requests: 1, refused: 1 }]];
    expect(minutesOf(counter)).to.deep.equal([
      { ...key, hour: noon, requests: 5, minutes: [first, last] },
      { ...key, hour: noon + 60 * minuteMs, requests: 1, minutes: next },
    ]);
  });

  it('counts a request on the day of its arrival', () => {
    const counter = createCounter();
    counter.clock.advance(dayMs / 2 + 10);
    counter.count(buildUsageEvent({ ms: 10.5 }));
    const [day] = unwrittenTotals(counter).days;
    expect(day).to.include({ day: '2026-08-22', lastAt: noon + dayMs / 2 - 1 });
  });

  it('starts a new total for a request that arrives after its day was forgotten', () => {
    const counter = createCounter();
    counter.count(buildUsageEvent());
    const [before] = unwrittenTotals(counter).days;
    counter.clock.advance(dayMs);
    counter.forget(); // keeps the total, which is not written yet
    expect(unwrittenTotals(counter).days).to.deep.equal([before]);
    confirmAll(counter);
    counter.forget();
    counter.count(buildUsageEvent({ ms: dayMs }));
    const [after] = unwrittenTotals(counter).days;
    expect(after).to.include({ day: '2026-08-22', requests: 1 });
    expect(after?.id).not.to.equal(before?.id);
  });

  it('reports requests as uncounted above its limits, and goes on counting existing totals', () => {
    const counter = createCounter({ days: 2, hours: 1 });
    counter.count(buildUsageEvent({ keyId: 'a', quota: 'granted' }));
    expect(counter.uncounted()).to.equal(0);
    // counted by the day, but not by the minute
    counter.count(buildUsageEvent({ keyId: 'b', quota: 'granted' }));
    for (const keyId of ['c', 'd', 'a']) counter.count(buildUsageEvent({ keyId }));
    expect(counter.uncounted()).to.equal(3);
    const { days, hours } = unwrittenTotals(counter);
    expect(days.map(({ keyId, requests }) => [keyId, requests])).to.deep.equal([
      ['a', 2],
      ['b', 1],
    ]);
    expect(hours).to.have.length(1);
    counter.clock.advance(dayMs);
    confirmAll(counter);
    counter.forget();
    counter.count(buildUsageEvent({ keyId: 'c', quota: 'granted' }));
    expect(counter.uncounted()).to.equal(3);
    expect(counter.pending()).to.equal(2);
  });

  it('returns totals in batches of at most 50, each once and up to date', () => {
    const counter = createCounter({ days: 2_000, hours: 2_000 });
    const count = (index: number) =>
      counter.count(buildUsageEvent({ keyId: `key${index}`, quota: 'granted' }));
    for (let index = 0; index < 60; index++) count(index);
    const sizes: number[][] = [];
    const days: DayTotal[] = [];
    for (const { totals } of counter.unwritten()) {
      if (sizes.length === 0) count(59);
      sizes.push([totals.days.length, totals.hours.length]);
      days.push(...totals.days);
    }
    expect(sizes).to.deep.equal([
      [50, 0],
      [10, 40],
      [0, 20],
    ]);
    expect(new Set(days.map(({ keyId }) => keyId)).size).to.equal(60);
    expect(days.at(-1)).to.include({ keyId: 'key59', requests: 2 });
  });
});
