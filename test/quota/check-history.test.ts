import { expect } from 'chai';
import { checkHistory } from '../support/nemesis/check-history.ts';
import type { Exchange, Finding, History } from '../support/nemesis/history.ts';

/** The observer's clock starts at 0, Redis' at 12:00:00 in a minute that ends at 60 s. */
const noon = Date.parse('2026-08-22T12:00:00Z');
const minuteEnd = noon / 1000 + 60;
const limit = 3;

const grant = (remaining: number, given: Partial<Exchange> = {}, reset = minuteEnd): Exchange => ({
  subject: 'a',
  gateway: 0,
  sentAt: 1_000,
  answeredAt: 1_010,
  outcome: 'granted',
  refusedBy: undefined,
  retryAfter: undefined,
  windows: [{ window: 'minute', limit, remaining, reset }],
  ...given,
});
const refusal = (given: Partial<Exchange> = {}): Exchange =>
  grant(0, { outcome: 'refused', refusedBy: 'minute', retryAfter: 59, ...given });
const unheard = (outcome: 'unknown' | 'refunded', given: Partial<Exchange> = {}): Exchange =>
  grant(0, { outcome, windows: [], ...given });
const at = (sentAt: number) => ({ sentAt, answeredAt: sentAt + 10 });

const history = (exchanges: readonly Exchange[], given: Partial<History> = {}): History => ({
  limits: { a: { minute: limit } },
  exchanges,
  clock: [{ at: 0, offset: noon }],
  losses: [],
  outages: [],
  counts: [],
  ...given,
});
const rules = (one: History): Finding['rule'][] => [...new Set(checkHistory(one).findings.map(({ rule }) => rule))];
const full = [grant(2), grant(1), grant(0)];
const counted = (count: number): History['counts'] => [
  { at: 20_000, subject: 'a', window: 'minute', reset: minuteEnd, count },
];

const cases: readonly (readonly [string, History, readonly Finding['rule'][]])[] = [
  ['accepts a full window and a true refusal', history([...full, refusal(at(2_000))], { counts: counted(3) }), []],
  [
    'accepts a refusal while requests without an answer may hold the units',
    history([grant(2), unheard('unknown'), unheard('unknown'), refusal(at(1_005))]),
    [],
  ],
  [
    'accepts a unit that is given again after its refund',
    history([grant(2), unheard('refunded', at(500)), grant(2, at(2_000))]),
    [],
  ],
  [
    'accepts more than the limit when Redis lost as many',
    history([...full, grant(0, at(3_000))], { losses: [{ from: 2_900, to: 3_100 }] }),
    [],
  ],
  [
    'accepts a window that the clock entered twice',
    history([...full, grant(2, at(70_000), minuteEnd + 60), ...[2, 1, 0].map((left) => grant(left, at(80_000)))], {
      clock: [
        { at: 0, offset: noon },
        { at: 75_000, offset: noon - 70_000 },
      ],
    }),
    [],
  ],
  [
    'accepts a count that includes a request without an answer',
    history([grant(2), unheard('unknown')], { counts: counted(2) }),
    [],
  ],
  ['finds a grant above the limit', history([...full, grant(0, at(2_000))]), ['over-granted', 'repeated unit']],
  [
    'finds a grant above the limit despite a loss that is too small',
    history([...full, grant(0, at(3_000)), grant(0, at(4_000))], { losses: [{ from: 2_900, to: 3_100 }] }),
    ['over-granted', 'repeated unit'],
  ],
  ['finds a refusal while units are left', history([grant(2), refusal(at(2_000))]), ['false refusal']],
  [
    'finds a refusal whose units were only used later',
    history([grant(2), grant(1), refusal(at(2_000)), grant(0, at(3_000))]),
    ['false refusal'],
  ],
  [
    'finds a refusal long after the refund of the unit it counts',
    history([grant(2), grant(1), unheard('refunded'), refusal(at(9_000))]),
    ['false refusal', 'headers contradict'],
  ],
  ['finds a unit that is granted twice without a refund', history([grant(2), grant(2, at(2_000))]), ['repeated unit']],
  [
    'finds one refund that gives two units back',
    history([grant(2), grant(1), unheard('refunded', at(1_500)), grant(2, at(2_000)), grant(1, at(2_000))], {
      limits: { a: { minute: limit } },
    }),
    ['over-granted', 'repeated unit'],
  ],
  ['finds a count below what was granted', history([grant(2), grant(1)], { counts: counted(1) }), ['wrong count']],
  ['finds a refund that never came', history([grant(2), unheard('refunded')], { counts: counted(2) }), ['wrong count']],
  ['finds a window that is not aligned', history([grant(2, {}, minuteEnd + 7)]), ['wrong window']],
  ['finds the next window before it begins', history([grant(2, {}, minuteEnd + 60)]), ['wrong window']],
  ['finds the last window after it has ended', history([grant(2, at(61_000))]), ['wrong window']],
  [
    'finds another limit in the headers',
    history([grant(2, { windows: [{ window: 'minute', limit: 9, remaining: 8, reset: minuteEnd }] })]),
    ['headers contradict'],
  ],
  [
    'finds a refusal with units remaining',
    history([...full, refusal({ windows: [{ window: 'minute', limit, remaining: 1, reset: minuteEnd }] })]),
    ['headers contradict'],
  ],
  [
    'finds a Retry-After that is too long',
    history([...full, refusal({ ...at(30_000), retryAfter: 40 })]),
    ['headers contradict'],
  ],
  [
    'finds a Retry-After that is too short',
    history([...full, refusal({ ...at(30_000), retryAfter: 20 })]),
    ['headers contradict'],
  ],
  [
    'finds an answer while no Redis could answer',
    history([grant(2, at(5_000))], { outages: [{ from: 4_000, to: 6_000 }] }),
    ['fail-open'],
  ],
];

describe('the checker of quota histories', () => {
  for (const [name, one, expected] of cases) {
    it(name, () => expect(rules(one)).to.have.members(expected));
  }

  it('reports grants, refusals and the units that may exceed the limit, by window', () => {
    const { windows } = checkHistory(history([...full, refusal(at(2_000))]));
    expect(windows).to.deep.equal([
      { subject: 'a', window: 'minute', reset: minuteEnd, limit, granted: 3, refused: 1, mayExceedBy: 0 },
    ]);
  });
});
