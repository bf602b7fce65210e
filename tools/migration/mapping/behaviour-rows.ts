import type { BehaviourRow } from './rows.ts';

export const behaviourRows: readonly BehaviourRow[] = [
  {
    about: 'A number out of range',
    current: '400, and the message says what is allowed',
    variant: 'clamped to the range; X-Params-Adjusted shows the value used',
    cases: ['limit-above-the-range', 'limit-zero', 'spikes-days-above-the-range'],
  },
  {
    about: 'A limit or days that is empty or not a number',
    current: '400',
    variant: 'the default; X-Params-Adjusted shows it',
    cases: ['limit-not-a-number', 'limit-empty', 'spikes-days-not-a-number'],
  },
  {
    about: 'A parameter sent twice',
    current: '400',
    variant: 'the first is used',
    cases: ['limit-twice', 'tier-twice'],
  },
  {
    about: 'An unknown parameter',
    current:
      '400 on paths with parameters; for a parameter of the other form, the message names the right one',
    variant: 'ignored, and counted in X-Params-Adjusted',
    cases: ['parameter-unknown', 'parameter-of-the-other-form', 'parameter-unknown-to-signings'],
  },
  {
    about: 'An empty or invalid filter',
    current: '400; an unknown tier matches no artists, an empty name all of them',
    variant: 'no artists, never all of them; X-Params-Adjusted shows none',
    cases: [
      'tier-unknown',
      'tier-empty',
      'artists-by-no-name',
      'new-not-a-number',
      'signed-not-understood',
    ],
  },
  {
    about: 'A query of more than 2,048 bytes',
    current: '431',
    variant: 'no items; X-Params-Adjusted shows query=none',
    cases: [], // the current form's 431 is not in its table of problems
  },
  {
    about: 'An unknown id in /artists?id=',
    current: '200 with an empty list',
    variant: '404 not_found',
    cases: ['artist-by-unknown-id', 'artist-by-id-of-the-other-form'],
  },
  {
    about: 'More artists than a page holds',
    current: 'meta.next_cursor leads to the next page',
    variant: 'artists beyond the limit can be reached only with filters',
    cases: ['artists-page-by-page'],
  },
  {
    about: 'A response that the client already has',
    current: 'If-None-Match with its ETag gets 304, which counts against the quota',
    variant: 'If-None-Match is ignored',
    cases: ['not-modified'],
  },
  {
    about: 'A key without the scope of a request',
    current: '403 insufficient_scope',
    variant: '401 unauthorized',
    cases: ['spikes-scope-missing', 'signings-scope-missing'],
  },
];
