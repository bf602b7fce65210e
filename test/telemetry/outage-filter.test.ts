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

  it('passes once in 30 seconds as a reason, also as the cause of a problem, and then counts its repetitions', () => {
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

  it('passes at once for another store or reason', () => {
    const filter = createOutageFilter(createManualClock());
    filter({ err: away });
    const other = new StoreError('MongoDB: connection refused');
    expect(filter({ err: other })).to.deep.equal({ reason: other.message });
  });

  it('passes once in 30 seconds also when 100 different outages were logged before it came back', () => {
    const clock = createManualClock();
    const filter = createOutageFilter(clock);
    filter({ err: away });
    for (let port = 1; port <= 100; port++)
      filter({ err: new StoreError(`Redis: connection refused (10.0.0.6:${port})`) });
    clock.advance(30_000);
    expect(filter({ err: away })).to.deep.equal({ reason: away.message });
    expect(filter({ err: away })).to.equal(undefined);
  });

  it('passes once in 30 seconds also when 100 different outages were logged before it first came', () => {
    const filter = createOutageFilter(createManualClock());
    for (let port = 1; port <= 100; port++)
      filter({ err: new StoreError(`Redis: connection refused (10.0.0.6:${port})`) });
    expect([filter({ err: away }), filter({ err: away })]).to.deep.equal([
      { reason: away.message },
      undefined,
    ]);
  });

  it('leaves other lines as they are', () => {
    const filter = createOutageFilter(createManualClock());
    const facts = { err: new Error('boom') };
    expect([filter(facts), filter(facts), filter({ status: 200 })]).to.deep.equal([
      facts,
      facts,
      { status: 200 },
    ]);
  });
});
