import { expect } from 'chai';
import type { Json } from '../../src/domain/json.ts';
import { invariantLines } from '../../tools/compare/checks/invariants.ts';

const tracked = {
  data: [{ label_songs: [{ label_detected: 'A' }] }],
  count: 1,
  _meta: { labels_tracked: ['A', 'b'] },
};

describe('invariantLines', () => {
  const rows: readonly (readonly [
    'artists' | 'spikes' | 'signings',
    'current' | 'variant',
    Json,
    ...string[],
  ])[] = [
    ['artists', 'current', { data: [1, 2], meta: { count: 2 } }],
    [
      'artists',
      'current',
      { data: [1, 2, 3], meta: { count: 3 } },
      'A page has more items than its limit of 2.',
    ],
    [
      'artists',
      'current',
      { data: [1], meta: { count: 2 } },
      'meta.count is not the number of items.',
    ],
    ['artists', 'variant', { data: [1], count: 2 }, 'count is not the number of items.'],
    ['spikes', 'current', { data: [], meta: { window: { days: 7 } } }],
    [
      'spikes',
      'current',
      { data: [], meta: { window: { days: 8 } } },
      'meta.window.days is not 7, as requested.',
    ],
    ['spikes', 'variant', { data: [], period_days: 8 }, 'period_days is not 7, as requested.'],
    ['signings', 'variant', tracked],
    [
      'signings',
      'variant',
      { ...tracked, _meta: { labels_tracked: ['b', 'A'] } },
      '_meta.labels_tracked is not alphabetical.',
    ],
    [
      'signings',
      'variant',
      { ...tracked, _meta: { labels_tracked: ['b'] } },
      '"A" is detected and not tracked.',
    ],
  ];
  for (const [items, form, body, ...expected] of rows) {
    it(`reports ${expected[0] ?? 'nothing'} of ${JSON.stringify(body)} (${items}, ${form} form)`, () => {
      const shown = 'data' in Object(body) ? Object(body).data : [];
      const path = `/api/v1/${items}?limit=2&days=7`;
      const answer = {
        path,
        replies: [],
        bodies: [body],
        limit: 2,
        items: shown,
        truncated: false,
      };
      const found = invariantLines(items, form, answer).map(({ unexpected }) => unexpected);
      expect(found).to.deep.equal(expected.map((text) => `The ${form} form: ${text}`));
    });
  }
});
