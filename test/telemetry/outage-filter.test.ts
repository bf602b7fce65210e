import { expect } from 'chai';
import { createOutageFilter } from '../../adapters/telemetry/outage-filter.ts';
import { Problem } from '../../src/domain/problem.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import { createManualClock } from '../support/clock.ts';

describe('an outage in the log', () => {
  const away = new StoreError('Redis: connection refused');
  const failed = new Problem('unavailable', 'Usage controls are temporarily unavailable.', {
    cause: away,
  });

  it('passes once in 30 seconds as a reason, with the number of repetitions', () => {
    const clock = createManualClock();
    const filter = createOutageFilter(clock);
    expect(filter({ source: 'keys', err: away })).to.deep.equal({
      source: 'keys',
      reason: away.message,
    });
    clock.advance(29_999);
    expect([filter({ err: away }), filter({ requestId: 'a', err: failed })]).to.deep.equal([
      undefined,
      undefined,
    ]);
    clock.advance(1);
    expect(filter({ requestId: 'b', err: failed })).to.deep.equal({
      requestId: 'b',
      reason: away.message,
      repeated: 2,
    });
  });

  it('passes immediately for another store or reason', () => {
    const filter = createOutageFilter(createManualClock());
    filter({ err: away });
    const other = new StoreError('MongoDB: connection refused');
    expect(filter({ err: other })).to.deep.equal({ reason: other.message });
  });

  for (const [when, first] of [
    ['since it was last logged', away],
    ['before it first occurred', undefined],
  ] as const)
    it(`passes once in 30 seconds even if 100 other outages were logged ${when}`, () => {
      const clock = createManualClock();
      const filter = createOutageFilter(clock);
      if (first !== undefined) filter({ err: first });
      for (let port = 1; port <= 100; port++)
        filter({ err: new StoreError(`Redis: connection refused (10.0.0.6:${port})`) });
      if (first !== undefined) clock.advance(30_000);
      const passed = [filter({ err: away }), filter({ err: away })];
      expect(passed).to.deep.equal([{ reason: away.message }, undefined]);
    });

  it('passes other lines unchanged', () => {
    const filter = createOutageFilter(createManualClock());
    const facts = { err: new Error('boom') };
    expect([filter(facts), filter(facts), filter({ status: 200 })]).to.deep.equal([
      facts,
      facts,
      { status: 200 },
    ]);
  });
});
