import { requestIdPattern } from './envelope-rows.ts';
import type { HeaderPresence, HeaderRow, ReplyFacts, RowKind } from './rows.ts';

type PresenceByForm = HeaderRow['presence'];

/** A 200 of the path without a key, which has a tag once the data is loaded. */
const isHealth = ({ status, read }: ReplyFacts): boolean => status === 200 && !read;

const whenCounted: HeaderPresence = ({ counted }) => counted;
const both = (presence: HeaderPresence): PresenceByForm => ({
  current: presence,
  variant: presence,
});
const onlyCurrent = (presence: HeaderPresence): PresenceByForm => ({
  current: presence,
  variant: () => false,
});
const onlyVariant = (presence: HeaderPresence): PresenceByForm => ({
  current: () => false,
  variant: presence,
});
const always = both(() => true);
const withStatus = (status: number): PresenceByForm => both((reply) => reply.status === status);

const sameHeader = (
  name: string,
  presence: PresenceByForm,
  value: string,
  reason: string,
): HeaderRow => ({
  kind: 'same',
  name,
  presence,
  expected: () => value,
  reason,
});

const quotaHeader = (name: string, kind: RowKind, reason: string): HeaderRow => ({
  kind,
  name,
  presence: kind === 'only current' ? onlyCurrent(whenCounted) : both(whenCounted),
  ofKey: true,
  expected: () => /^\d+$/,
  reason,
});

/** A header of the served form, for keys of both forms: a list of windows with two numbers each. */
const structuredQuotaHeader = (
  name: string,
  first: string,
  second: string,
  reason: string,
): HeaderRow => {
  const item = `"(minute|hour|day)";${first}=\\d+;${second}=\\d+`;
  return {
    kind: 'only current',
    name,
    presence: onlyCurrent(whenCounted),
    expected: () => new RegExp(`^${item}(, ${item})*$`),
    reason,
  };
};

const deprecationHeader = (name: string, expected: string | RegExp, reason: string): HeaderRow => ({
  kind: 'only variant',
  name,
  presence: onlyVariant(({ deprecated }) => deprecated),
  isNotice: true,
  expected: () => expected,
  reason,
});

const connectionHeader = (name: string): HeaderRow => ({
  kind: 'volatile',
  name,
  presence: both(() => undefined),
  reason: 'Transport header, not part of the data.',
});

export const headerRows: readonly HeaderRow[] = [
  {
    kind: 'derived',
    name: 'X-Envelope-Served',
    presence: always,
    expected: ({ served }) => served,
    reason: 'The form that was served.',
  },
  {
    kind: 'volatile',
    name: 'X-Request-Id',
    presence: always,
    expected: ({ requestIdInBody }) => requestIdInBody ?? requestIdPattern,
    reason: 'Unique for each request; in the current form it equals request_id in the body.',
  },
  sameHeader(
    'Content-Type',
    both(({ status }) => status !== 304),
    'application/json; charset=utf-8',
    'JSON in both forms.',
  ),
  {
    kind: 'same',
    name: 'Cache-Control',
    presence: always,
    expected: ({ read }) => (read ? 'private, no-cache' : 'no-store'),
    reason: 'Data may be cached privately and revalidated; problems and health may not be cached.',
  },
  {
    kind: 'derived',
    name: 'Vary',
    presence: always,
    expected: ({ served, read }) =>
      `Authorization, X-Envelope${served === 'current' && read ? ', Accept-Encoding' : ''}`,
    reason:
      'Another key may get another form; the current form compresses answers for clients that accept it.',
  },
  {
    kind: 'only current',
    name: 'Content-Encoding',
    presence: onlyCurrent(({ read, status }) => (read && status === 200 ? undefined : false)),
    expected: () => 'gzip',
    reason: 'Sent with a compressed body, which you request with Accept-Encoding: gzip.',
  },
  sameHeader(
    'X-Content-Type-Options',
    always,
    'nosniff',
    'Browsers must not guess another content type.',
  ),
  quotaHeader('X-RateLimit-Limit', 'derived', 'For the minute; in the variant form for the hour.'),
  quotaHeader('X-RateLimit-Remaining', 'volatile', 'Requests left in the window.'),
  quotaHeader('X-RateLimit-Reset', 'volatile', 'When the window ends, in epoch seconds.'),
  quotaHeader('X-RateLimit-Day-Limit', 'only current', 'The variant form has no daily quota.'),
  quotaHeader('X-RateLimit-Day-Remaining', 'only current', 'Requests left in the UTC day.'),
  quotaHeader('X-RateLimit-Day-Reset', 'only current', 'When the day ends, in epoch seconds.'),
  structuredQuotaHeader(
    'RateLimit-Policy',
    'q',
    'w',
    'The quotas of the X-RateLimit headers, as one structured field.',
  ),
  structuredQuotaHeader(
    'RateLimit',
    'r',
    't',
    'Requests left in each quota, and for how many seconds.',
  ),
  {
    kind: 'only current',
    name: 'ETag',
    presence: {
      // An incomplete history has none, and looks like a complete one.
      current: (reply) =>
        isHealth(reply) || (reply.read && reply.hasHistory) ? undefined : reply.read,
      variant: (reply) => (isHealth(reply) ? undefined : false),
    },
    expected: () => /^W\/"[\w-]+"$/,
    reason:
      'A weak tag; sent back as If-None-Match it gets 304. In the variant form only health has one.',
  },
  {
    kind: 'only current',
    name: 'X-Key-Expires',
    presence: onlyCurrent(({ expires }) => expires),
    isNotice: true,
    expected: () => / GMT$/,
    reason: 'When the key expires; absent if it does not.',
  },
  {
    kind: 'only variant',
    name: 'X-Params-Adjusted',
    presence: onlyVariant(({ adjusted }) => adjusted.length > 0),
    expected: ({ adjusted }) => adjusted.join(', '),
    reason: 'The repaired parameters with the values used; the current form refuses them.',
  },
  {
    kind: 'same',
    name: 'Retry-After',
    presence: both(({ status }) => (status === 500 ? undefined : status === 429 || status === 503)),
    expected: () => /^[1-9]\d*$/,
    reason: 'Whole seconds to wait before a retry.',
  },
  sameHeader('WWW-Authenticate', withStatus(401), 'Bearer', 'With every 401.'),
  sameHeader('Allow', withStatus(405), 'GET', 'With every 405.'),
  deprecationHeader(
    'Deprecation',
    /^@\d+$/,
    'Sent after the operator has announced an end for that key.',
  ),
  deprecationHeader('Sunset', / GMT$/, 'When support for the form ends for that key.'),
  {
    kind: 'derived',
    name: 'Link',
    presence: {
      // 431 belongs to no form (decisions, "Errors").
      current: ({ status }) => (status === 431 ? undefined : status >= 400),
      variant: ({ deprecated }) => deprecated,
    },
    expected: ({ served }) =>
      served === 'current'
        ? /^<[^>#]*\/docs\/errors#\w+>; rel="help"$/
        : /^<([^>#]*\/docs\/migration)>; rel="deprecation"(?:, <\1>; rel="sunset")?$/,
    reason:
      'On errors, the section of /docs that explains the code; in the variant form, the page about the move.',
  },
  ...['Date', 'Connection', 'Keep-Alive', 'Content-Length', 'Transfer-Encoding'].map(
    connectionHeader,
  ),
];
