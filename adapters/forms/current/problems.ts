import type { ProblemKind } from '../../../src/domain/problem.ts';
import type { ProblemEntry } from '../form.ts';
import { ownWindow } from '../form-contract.ts';

/** Every problem in the current form (decisions, "Errors"). */
export const problems = {
  'invalid-parameter': {
    status: 400,
    code: 'invalid_parameter',
    text: 'A parameter is out of range, repeated, empty or unknown. The message says what is allowed.',
  },
  'invalid-cursor': {
    status: 400,
    code: 'invalid_cursor',
    text: 'The cursor is invalid or belongs to other filters. Start again at the first page.',
  },
  unauthorized: {
    status: 401,
    code: 'unauthorized',
    text: 'The key is missing, unknown, revoked or expired. The message says if something is wrong with the header.',
  },
  'insufficient-scope': {
    status: 403,
    code: 'insufficient_scope',
    text: 'The key is valid but lacks the scope that the message names.',
  },
  'not-found': { status: 404, code: 'not_found', text: 'No artist has this identifier.' },
  'method-not-allowed': {
    status: 405,
    code: 'method_not_allowed',
    text: 'Only GET is supported.',
  },
  'window-spent': {
    status: 429,
    code: 'rate_limited',
    text: `The quota of this minute is spent. Retry after \`Retry-After\` seconds. ${ownWindow}`,
    retryAfter: true,
  },
  'day-spent': {
    status: 429,
    code: 'quota_exceeded',
    text: 'The quota of this UTC day is spent. Retry after `Retry-After` seconds.',
    retryAfter: true,
  },
  unavailable: {
    status: 503,
    code: 'service_unavailable',
    text: 'Keys, usage controls or artist data are temporarily unavailable. Retry after `Retry-After` seconds.',
    retryAfter: true,
  },
  bug: {
    status: 500,
    code: 'server_error',
    text: 'An internal error; your request is not the cause. Quote the `request_id` to support.',
  },
} as const satisfies Record<ProblemKind, ProblemEntry>;

export const codes = [...new Set(Object.values(problems).map(({ code }) => code))];
