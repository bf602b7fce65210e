import type { ProblemRow } from './request-rows.ts';

/** Every problem, and how each form says it. */
export const problemRows: readonly ProblemRow[] = [
  {
    kind: 'only current',
    problem: 'invalid-parameter',
    current: { status: 400, code: 'invalid_parameter' },
    reason: 'The variant form repairs what it can and matches nothing where it cannot.',
  },
  {
    kind: 'only current',
    problem: 'invalid-cursor',
    current: { status: 400, code: 'invalid_cursor' },
    reason: 'The variant form has no cursor.',
  },
  {
    kind: 'same',
    problem: 'unauthorized',
    current: { status: 401, code: 'unauthorized' },
    variant: { status: 401, code: 'unauthorized' },
    reason: 'No key, or one that is not valid.',
  },
  {
    kind: 'renamed',
    problem: 'insufficient-scope',
    current: { status: 403, code: 'insufficient_scope' },
    variant: { status: 401, code: 'unauthorized' },
    reason: 'The variant form has no 403; its message names the scope.',
  },
  {
    kind: 'same',
    problem: 'not-found',
    current: { status: 404, code: 'not_found' },
    variant: { status: 404, code: 'not_found' },
    reason: 'No such path in this form, or no such artist.',
  },
  {
    kind: 'same',
    problem: 'method-not-allowed',
    current: { status: 405, code: 'method_not_allowed' },
    variant: { status: 405, code: 'method_not_allowed' },
    reason: 'Only GET is supported.',
  },
  {
    kind: 'same',
    problem: 'window-spent',
    current: { status: 429, code: 'rate_limited' },
    variant: { status: 429, code: 'rate_limited' },
    reason: 'The minute of the current form, the hour of the variant form.',
  },
  {
    kind: 'only current',
    problem: 'day-spent',
    current: { status: 429, code: 'quota_exceeded' },
    reason: 'The variant form has no daily quota.',
  },
  {
    kind: 'renamed',
    problem: 'unavailable',
    current: { status: 503, code: 'service_unavailable' },
    variant: { status: 500, code: 'server_error' },
    reason: 'The variant form has no 503. Both send Retry-After.',
  },
  {
    kind: 'same',
    problem: 'bug',
    current: { status: 500, code: 'server_error' },
    variant: { status: 500, code: 'server_error' },
    reason: 'A fault of the gateway.',
  },
];
