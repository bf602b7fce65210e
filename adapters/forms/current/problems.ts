import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ProblemEntry } from '../form.ts';

/** Status and code of each problem in the current form (decisions, "Errors"). */
export const problems = {
  'invalid-parameter': { status: 400, code: 'invalid_parameter' },
  'invalid-cursor': { status: 400, code: 'invalid_cursor' },
  unauthorized: { status: 401, code: 'unauthorized' },
  'insufficient-scope': { status: 403, code: 'insufficient_scope' },
  'not-found': { status: 404, code: 'not_found' },
  'method-not-allowed': { status: 405, code: 'method_not_allowed' },
  'window-spent': { status: 429, code: 'rate_limited' },
  'day-spent': { status: 429, code: 'quota_exceeded' },
  unavailable: { status: 503, code: 'service_unavailable' },
  bug: { status: 500, code: 'server_error' },
} as const satisfies Record<ProblemKind, ProblemEntry>;

/** All codes of the current form. */
export const codes = [...new Set(Object.values(problems).map(({ code }) => code))];
