import type { ProblemRow } from './rows.ts';

/** A problem with the same status and code in both forms. */
const sameProblem = (problem: ProblemRow['problem'], status: number, code: string, reason: string): ProblemRow => ({
  kind: 'same',
  problem,
  current: { status, code },
  variant: { status, code },
  reason,
});

/** Every problem, and how each form reports it. */
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
  sameProblem('unauthorized', 401, 'unauthorized', 'No key, or one that is not valid.'),
  {
    kind: 'renamed',
    problem: 'insufficient-scope',
    current: { status: 403, code: 'insufficient_scope' },
    variant: { status: 401, code: 'unauthorized' },
    reason: 'The variant form has no 403; its message names the scope.',
  },
  sameProblem('not-found', 404, 'not_found', 'No such path in this form, or no such artist.'),
  sameProblem('method-not-allowed', 405, 'method_not_allowed', 'Only GET is supported.'),
  sameProblem('window-spent', 429, 'rate_limited', 'The minute of the current form, the hour of the variant form.'),
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
  sameProblem('bug', 500, 'server_error', 'A fault of the gateway.'),
];
