import { expect } from 'chai';
import { checkHistory } from '../support/nemesis/check-history.ts';
import type { Exchange, Finding, History } from '../support/nemesis/history.ts';

/** The observer's clock starts at 0, Redis' at 12:00:00 in a minute that ends at 60 s. */
const noon = Date.parse('2026-08-22T12:00:00Z');
const minuteEnd = noon / 1000 + 60;
const limit = 3;

const grant = (remaining: number, given: Partial<Exchange> = {}, reset = minuteEnd): Exchange => ({
  subject: 'a',
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
const rules = (one: History): Finding['rule'][] => [
  ...new Set(checkHistory(one).map(({ rule }) => rule)),
];
const full = [grant(2), grant(1), grant(0)];

const cases: readonly (readonly [string, History, readonly Finding['rule'][]])[] = [
  [
    'finds a grant above the limit despite a loss that is too small',
    history([...full, grant(0, at(3_000)), grant(0, at(4_000))], {
      losses: [{ from: 2_900, to: 3_100 }],
    }),
    ['over-granted'],
  ],
  [
    'finds a refusal while units are left',
    history([grant(2), refusal(at(2_000))]),
    ['false refusal'],
  ],
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
  [
    'finds one refund that gives two units back',
    history([
      grant(2),
      grant(1),
      unheard('refunded', at(1_500)),
      grant(2, at(2_000)),
      grant(1, at(2_000)),
    ]),
    ['over-granted'],
  ],
  [
    'finds a refund that Redis counted twice',
    history([grant(2), grant(1), unheard('refunded', at(1_500))], {
      counts: [{ at: 5_000, subject: 'a', window: 'minute', reset: minuteEnd, count: 1 }],
    }),
    ['wrong count'],
  ],
  [
    'finds a grant while no Redis can answer',
    history([grant(2), grant(1, at(3_000))], { outages: [{ from: 2_900, to: 3_100 }] }),
    ['fail-open'],
  ],
  [
    'finds the next window before it begins',
    history([grant(2, {}, minuteEnd + 60)]),
    ['wrong window'],
  ],
  [
    'finds another limit in the headers',
    history([
      grant(2, { windows: [{ window: 'minute', limit: 9, remaining: 8, reset: minuteEnd }] }),
    ]),
    ['headers contradict'],
  ],
  [
    'finds a refusal with units remaining',
    history([
      ...full,
      refusal({ windows: [{ window: 'minute', limit, remaining: 1, reset: minuteEnd }] }),
    ]),
    ['headers contradict'],
  ],
  ...[20, 40].map(
    (retryAfter) =>
      [
        `finds a Retry-After of ${retryAfter} s, 30 s before the end`,
        history([...full, refusal({ ...at(30_000), retryAfter })]),
        ['headers contradict'],
      ] as const,
  ),
];

/** The nemesis itself shows that true histories are accepted, and one planted bug is found. */
describe('the checker of quota histories', () => {
  for (const [name, one, expected] of cases) {
    it(name, () => expect(rules(one)).to.have.members(expected));
  }
});
