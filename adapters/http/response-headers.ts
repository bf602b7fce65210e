import type { QuotaStatus } from '../../src/ports.ts';
import { type Charge, windowLengthMs } from '../../src/quota/quota.ts';
import type { Form, QuotaPolicy } from '../forms/form.ts';
import { keyOwnerOf, type RequestContext } from './request-context.ts';

/** Epoch milliseconds as ISO 8601 text, UTC with milliseconds. */
export const toIso = (instant: number): string => new Date(instant).toISOString();

/** The request headers that every response depends on (decisions, "Freshness and caching"). */
const vary = 'Authorization, X-Envelope';

/**
 * The `Vary` of every response that a form may compress, even if this client does not accept gzip:
 * caches must keep both versions apart.
 */
export const varyWithEncoding = `${vary}, Accept-Encoding`;

/** The `Cache-Control` of all responses except successful reads. */
export const noStore = { 'Cache-Control': 'no-store' };

/** The path of a URL without its final slash, as the prefix of links. */
export const publicPathOf = (address: string): string =>
  new URL(address).pathname.replace(/\/$/, '');

/** Prefixes the targets of a `Link` header with a path. Forms write targets from the root. */
export const putLinksBelow = (path: string, headers: Record<string, string>): void => {
  if (path !== '' && headers['Link'] !== undefined)
    headers['Link'] = headers['Link'].replaceAll('</', `<${path}/`);
};

export const commonHeaders = (form: Form, requestId: string): Record<string, string> => ({
  'X-Request-Id': requestId,
  'X-Envelope-Served': form.name,
  'X-Content-Type-Options': 'nosniff',
  Vary: vary,
});

const remaining = ({ allowance, status }: Charge<QuotaPolicy>): number =>
  Math.max(allowance.limit - status.used, 0);

/**
 * Adds the status of every charged window, with the header names of the key's form (decisions,
 * "Quotas").
 */
const addQuotaHeaders = (
  headers: Record<string, string>,
  charges: readonly Charge<QuotaPolicy>[],
): void => {
  for (const charge of charges) {
    const { header, limit } = charge.allowance;
    headers[`${header}-Limit`] = String(limit);
    headers[`${header}-Remaining`] = String(remaining(charge));
    headers[`${header}-Reset`] = String(Math.ceil(charge.status.endsAt / 1000));
  }
};

/**
 * Whole seconds until a window ends, by the quota store's clock: the value of `Retry-After` and of
 * `t` in `RateLimit`.
 */
export const secondsLeft = ({ msLeft }: QuotaStatus): number =>
  Math.max(1, Math.ceil(msLeft / 1000));

/**
 * Adds the quotas and their remaining units as structured fields (RFC 9651;
 * draft-ietf-httpapi-ratelimit-headers-11). A policy has the name of its window.
 */
const addRateLimitFields = (
  headers: Record<string, string>,
  charges: readonly Charge<QuotaPolicy>[],
): void => {
  const policies = charges.map(
    ({ allowance: { window, limit } }) =>
      `"${window}";q=${limit};w=${windowLengthMs(window) / 1000}`,
  );
  const left = charges.map(
    (charge) =>
      `"${charge.allowance.window}";r=${remaining(charge)};t=${secondsLeft(charge.status)}`,
  );
  headers['RateLimit-Policy'] = policies.join(', ');
  headers['RateLimit'] = left.join(', ');
};

/**
 * The common headers and those known so far: the form's notices for a known key, the quota status,
 * the adjusted parameters. Uses one object, because every request needs it.
 */
export const responseHeaders = (request: RequestContext): Record<string, string> => {
  const { form, requestId, authentication, quota, adjusted = [] } = request;
  const headers = commonHeaders(form, requestId);
  const owner = keyOwnerOf(authentication);
  if (owner !== undefined) Object.assign(headers, form.notices(owner, 'caller' in authentication));
  if (quota !== undefined) {
    addQuotaHeaders(headers, quota.charges);
    if (form.rateLimitFields) addRateLimitFields(headers, quota.charges);
  }
  if (adjusted.length > 0) {
    headers['X-Params-Adjusted'] = adjusted
      .map(({ parameter, used }) => `${parameter}=${used}`)
      .join(', ');
  }
  return headers;
};
