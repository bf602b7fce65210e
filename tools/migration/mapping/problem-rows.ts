import type { ErrorEntry, ProblemRow } from './rows.ts';

type ProblemKind = ProblemRow['problem'];

const errorOf = (status: number, code: string): ErrorEntry => ({ status, code });

const sameProblem = (problem: ProblemKind, error: ErrorEntry, reason: string): ProblemRow => ({
  kind: 'same',
  problem,
  current: error,
  variant: error,
  reason,
});
const onlyCurrent = (problem: ProblemKind, current: ErrorEntry, reason: string): ProblemRow => ({
  kind: 'only current',
  problem,
  current,
  reason,
});

export const problemRows: readonly ProblemRow[] = [
  onlyCurrent(
    'invalid-parameter',
    errorOf(400, 'invalid_parameter'),
    'The variant form repairs parameters, and an invalid filter matches nothing.',
  ),
  onlyCurrent('invalid-cursor', errorOf(400, 'invalid_cursor'), 'The variant form has no cursor.'),
  sameProblem('unauthorized', errorOf(401, 'unauthorized'), 'No key, or an invalid one.'),
  {
    kind: 'renamed',
    problem: 'insufficient-scope',
    current: errorOf(403, 'insufficient_scope'),
    variant: errorOf(401, 'unauthorized'),
    reason: 'The variant form has no 403; its message names the scope.',
  },
  sameProblem(
    'not-found',
    errorOf(404, 'not_found'),
    'No such path in this form, or no such artist.',
  ),
  sameProblem('method-not-allowed', errorOf(405, 'method_not_allowed'), 'Only GET is supported.'),
  sameProblem(
    'window-spent',
    errorOf(429, 'rate_limited'),
    'The minute of the current form, the hour of the variant form.',
  ),
  onlyCurrent('day-spent', errorOf(429, 'quota_exceeded'), 'The variant form has no daily quota.'),
  {
    kind: 'renamed',
    problem: 'unavailable',
    current: errorOf(503, 'service_unavailable'),
    variant: errorOf(500, 'server_error'),
    reason: 'The variant form has no 503. Both send Retry-After.',
  },
  sameProblem('bug', errorOf(500, 'server_error'), 'An error in the gateway.'),
];
