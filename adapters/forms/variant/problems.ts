import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ProblemEntry } from '../form.ts';

/** Status and code of each problem in the variant form (decisions, "Errors"). */
export const problems = {
  // never raised: invalid parameters are repaired
  'invalid-parameter': { status: 500, code: 'server_error' },
  'invalid-cursor': { status: 500, code: 'server_error' }, // never raised: this form has no cursor
  unauthorized: { status: 401, code: 'unauthorized' },
  // this form's closed table has no 403
  'insufficient-scope': { status: 401, code: 'unauthorized' },
  'not-found': { status: 404, code: 'not_found' },
  'method-not-allowed': { status: 405, code: 'method_not_allowed' },
  'window-spent': { status: 429, code: 'rate_limited' },
  // only for keys whose own form has a daily quota
  'day-spent': { status: 429, code: 'quota_exceeded' },
  unavailable: { status: 500, code: 'server_error' },
  bug: { status: 500, code: 'server_error' },
} as const satisfies Record<ProblemKind, ProblemEntry>;

/** All codes of the variant form. */
export const codes = [...new Set(Object.values(problems).map(({ code }) => code))];
