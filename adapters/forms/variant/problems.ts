import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ProblemEntry } from '../form.ts';
import { ownWindow } from '../form-contract.ts';

/** When the daily quota applies: only the current form has one. */
export const onlyOverride = 'Only for keys of the current form that request this one.';

/** This form's closed table of statuses has no 403: a missing scope is a 401 too. */
const unauthorized = {
  status: 401,
  code: 'unauthorized',
  text: 'The key is revoked or expired, or it lacks the scope that the message names.',
} as const;

const serverError = { status: 500, code: 'server_error' } as const;
const serverErrorText =
  'Server error. If `Retry-After` is present the error is temporary: retry after that many seconds.';

/** Every problem in the variant form (decisions, "Errors"). */
export const problems = {
  'invalid-parameter': serverError, // never raised: invalid parameters are adjusted
  'invalid-cursor': serverError, // never raised: this form has no cursor
  unauthorized,
  'insufficient-scope': unauthorized,
  'not-found': { status: 404, code: 'not_found', text: 'No artist has this identifier.' },
  'method-not-allowed': {
    status: 405,
    code: 'method_not_allowed',
    text: 'Only GET is supported.',
  },
  'window-spent': {
    status: 429,
    code: 'rate_limited',
    text: `The quota of this hour is spent. Retry after \`Retry-After\` seconds. ${ownWindow}`,
    retryAfter: true,
  },
  'day-spent': {
    status: 429,
    code: 'quota_exceeded',
    text: `The quota of this UTC day is spent. ${onlyOverride}`,
    retryAfter: true,
  },
  unavailable: { ...serverError, text: serverErrorText, retryAfter: true },
  bug: { ...serverError, text: serverErrorText },
} as const satisfies Record<ProblemKind, ProblemEntry>;

export const codes = [...new Set(Object.values(problems).map(({ code }) => code))];
