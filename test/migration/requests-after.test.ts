import { expect } from 'chai';
import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';
import { countUnnamed, findCalls } from '../../tools/migration/calls.ts';
import { requestedMove } from '../../tools/migration/evidence.ts';
import { requestsAfter } from '../../tools/migration/requests-after.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

const day = '2026-08-22';
const at = (minute: number, requests: number, keyId = 'keyvariant'): MinuteCount =>
  buildMinuteCount({
    minute: Date.parse(`${day}T12:00:00Z`) + minute * 60_000,
    requests,
    keyId,
  });
const called = (calls: Readonly<Record<string, number>>, given: Partial<UsageCount> = {}) =>
  buildUsageCount({ day, uses: calls, requests: 100, ...given });

/** The requests of minutes after the move, over 558 artists. */
const requestsOf = (minutes: readonly MinuteCount[], ...counts: readonly UsageCount[]) =>
  requestsAfter(minutes, counts, 558).map(({ requests }) => requests);

describe('requests after a move', () => {
  const costs: readonly (readonly [call: string, requests: number])[] = [
    ['?', 1],
    ['?limit=100', 1],
    ['?limit=150', 2],
    ['?limit=200&fields=basic', 2],
    ['?limit=500', 2],
    ['?new=14', 1],
    ['?new=14&limit=150', 2],
    ['?tier=watch&limit=200', 2],
    ['?signed=true', 6],
    ['?signed=false&tier=watch&limit=5', 6],
    ['?id=*', 1],
    ['?id=*&signed=true', 1],
    ['?tier=*', 1],
  ];
  it('are at most as many as the pages of a call', () => {
    for (const [call, requests] of costs)
      expect(requestsOf([at(0, 1)], called({ [call]: 1 })), call).to.deep.equal([requests]);
  });

  it('take one for a short list, and none less', () => {
    const counts = [called({ '?limit=200': 3, '?signed=true': 3 })];
    for (const artists of [0, 1, 100])
      expect(requestsAfter([at(0, 6)], counts, artists)).to.deep.equal([at(0, 6)]);
  });

  it('count the expensive calls of a day once, in its busiest minutes', () => {
    const counts = [called({ '?limit=200': 5, '?new=1': 24 })];
    expect(requestsOf([at(0, 1), at(5, 3), at(9, 4), at(10, 1)], ...counts)).to.deep.equal([
      1, 4, 8, 1,
    ]);
  });

  it('count the most expensive calls first, up to the requests of a minute', () => {
    const counts = [called({ '?limit=200': 2, '?signed=true': 1 })];
    expect(requestsOf([at(0, 2)], ...counts)).to.deep.equal([2 + 5 + 1]);
  });

  it('use the busiest minute of other keys, and leave their requests unchanged', () => {
    const minutes = [at(0, 2), at(1, 1), at(1, 9, 'other')];
    expect(requestsOf(minutes, called({ '?limit=200': 1 }))).to.deep.equal([2, 2, 9]);
  });

  it('ignore calls of another form, another day or status 429', () => {
    const counts = [
      called({ '?limit=200': 9 }, { form: requestedMove.to }),
      called({ '?limit=200': 9 }, { day: '2026-08-21' }),
      called({ '?limit=200': 9 }, { status: 429 }),
    ];
    expect(requestsOf([at(0, 9)], ...counts)).to.deep.equal([9]);
  });
});

describe('the calls of a key', () => {
  it('are grouped by path and status, with their requests and last day', () => {
    const counts = [
      called({ limit: 5, '?limit=5': 5, '?…': 2 }, { requests: 8 }),
      called({ '?limit=5': 1, '?id=*': 9 }, { requests: 10, day: '2026-08-23' }),
      called({ '?id=*': 3 }, { requests: 3, status: 404 }),
      called({ '?limit=5': 7 }, { requests: 7, status: 429 }),
      called({ '?': 4 }, { requests: 4, route: '/api/v1/spikes' }),
      called({ '?': 4 }, { requests: 4, route: undefined, status: 404 }),
    ];
    const calls = findCalls(counts);
    expect(calls).to.deep.equal([
      { call: '/artists?id=*', status: 200, requests: 9, last_day: '2026-08-23' },
      { call: '/artists?limit=5', status: 200, requests: 6, last_day: '2026-08-23' },
      { call: '/artists?id=*', status: 404, requests: 3, last_day: day },
      { call: '/spikes', status: 200, requests: 4, last_day: day },
    ]);
    expect(countUnnamed(counts, calls)).to.equal(3);
  });
});
