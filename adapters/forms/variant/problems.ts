import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ProblemEntry } from '../form.ts';

/** How the variant form says each problem (specification, "Errors", variant). */
export const problems = {
  'invalid-parameter': { status: 500, code: 'server_error' }, // never raised here: bad parameters are repaired
  'invalid-cursor': { status: 500, code: 'server_error' }, // never raised here: there is no cursor
  unauthorized: { status: 401, code: 'unauthorized' },
  'insufficient-scope': { status: 401, code: 'unauthorized' }, // the table is closed and has no 403
  'not-found': { status: 404, code: 'not_found' },
  'method-not-allowed': { status: 405, code: 'method_not_allowed' },
  'window-spent': { status: 429, code: 'rate_limited' },
  'day-spent': { status: 429, code: 'quota_exceeded' }, // only for keys pinned to a form that has a daily quota
  unavailable: { status: 500, code: 'server_error' },
  bug: { status: 500, code: 'server_error' },
} as const satisfies Record<ProblemKind, ProblemEntry>;

/** Every code there is. */
export const codes = [...new Set(Object.values(problems).map(({ code }) => code))];
