import { requestIdText } from './envelope-rows.ts';
import type { HeaderPresence, HeaderRow } from './request-rows.ts';

const always: HeaderPresence = () => true;
const never: HeaderPresence = () => false;
const perhaps: HeaderPresence = () => undefined;
const whenCounted: HeaderPresence = ({ counted }) => counted;
const both = (occasion: HeaderPresence): HeaderRow['on'] => ({ current: occasion, variant: occasion });
const onlyCurrent = (occasion: HeaderPresence): HeaderRow['on'] => ({ current: occasion, variant: never });
const onlyVariant = (occasion: HeaderPresence): HeaderRow['on'] => ({ current: never, variant: occasion });
const whenStatus =
  (...statuses: readonly number[]): HeaderPresence =>
  ({ status }) =>
    statuses.includes(status);

const wholeNumber = /^\d+$/;

const quotaHeader = (name: string, on: HeaderRow['on'], kind: HeaderRow['kind'], reason: string): HeaderRow => ({
  kind,
  name,
  on,
  ofKey: true,
  reads: () => wholeNumber,
  reason,
});

const ofTheConnection = (name: string): HeaderRow => ({
  kind: 'volatile',
  name,
  on: both(perhaps),
  reason: 'Says how the bytes travel, and nothing about the answer.',
});

/** Every header of both forms. */
export const headerRows: readonly HeaderRow[] = [
  {
    kind: 'derived',
    name: 'X-Envelope-Served',
    on: both(always),
    reads: ({ served }) => served,
    reason: 'The form that was served.',
  },
  {
    kind: 'volatile',
    name: 'X-Request-Id',
    on: both(always),
    reads: ({ requestIdInBody }) => requestIdInBody ?? requestIdText,
    reason: 'Another one each time; in the current form the same as in the body.',
  },
  {
    kind: 'same',
    name: 'Content-Type',
    on: both(({ status }) => status !== 304),
    reads: () => 'application/json; charset=utf-8',
    reason: 'JSON in both forms.',
  },
  {
    kind: 'same',
    name: 'Cache-Control',
    on: both(always),
    reads: ({ read }) => (read ? 'private, no-cache' : 'no-store'),
    reason: 'Answers may be kept to be asked about again; problems and health may not.',
  },
  {
    kind: 'same',
    name: 'Vary',
    on: both(always),
    reads: () => 'Authorization, X-Envelope',
    reason: 'Another key may get another form.',
  },
  { kind: 'same', name: 'X-Content-Type-Options', on: both(always), reads: () => 'nosniff', reason: 'JSON is JSON.' },
  quotaHeader('X-RateLimit-Limit', both(whenCounted), 'derived', 'Of the minute; in the variant form of the hour.'),
  quotaHeader('X-RateLimit-Remaining', both(whenCounted), 'volatile', 'What is left of the window.'),
  quotaHeader('X-RateLimit-Reset', both(whenCounted), 'volatile', 'The second at which the window ends.'),
  quotaHeader(
    'X-RateLimit-Day-Limit',
    onlyCurrent(whenCounted),
    'only current',
    'The variant form has no daily quota.',
  ),
  quotaHeader('X-RateLimit-Day-Remaining', onlyCurrent(whenCounted), 'only current', 'What is left of the UTC day.'),
  quotaHeader('X-RateLimit-Day-Reset', onlyCurrent(whenCounted), 'only current', 'The second at which the day ends.'),
  {
    kind: 'only current',
    name: 'ETag',
    on: onlyCurrent(({ read }) => read),
    reads: () => /^W\/"[\w-]+"$/,
    reason: 'Weak, and answered with 304 to If-None-Match; the variant form has none.',
  },
  {
    kind: 'only variant',
    name: 'X-Params-Adjusted',
    on: onlyVariant(({ adjusted }) => adjusted.length > 0),
    reads: ({ adjusted }) => adjusted.join(', '),
    reason: 'What was repaired, with the values used; the current form refuses instead.',
  },
  {
    kind: 'same',
    name: 'Retry-After',
    on: both((reply) =>
      reply.status === 429 || reply.status === 503 ? true : reply.status === 500 ? undefined : false,
    ),
    reads: () => /^[1-9]\d*$/,
    reason: 'Whole seconds until asking again makes sense.',
  },
  {
    kind: 'same',
    name: 'WWW-Authenticate',
    on: both(whenStatus(401)),
    reads: () => 'Bearer',
    reason: 'With every 401.',
  },
  { kind: 'same', name: 'Allow', on: both(whenStatus(405)), reads: () => 'GET', reason: 'With every 405.' },
  {
    kind: 'only variant',
    name: 'Deprecation',
    on: onlyVariant(({ deprecated }) => deprecated),
    reads: () => /^@\d+$/,
    reason: 'Once the operator says so, for that key.',
  },
  {
    kind: 'only variant',
    name: 'Sunset',
    on: onlyVariant(({ deprecated }) => deprecated),
    reads: () => / GMT$/,
    reason: 'From this instant on the form is no longer promised to that key.',
  },
  {
    kind: 'only variant',
    name: 'Link',
    on: onlyVariant(({ deprecated }) => deprecated),
    reads: () => '</docs/migration>; rel="deprecation"',
    reason: 'Where to read on.',
  },
  ...['Date', 'Connection', 'Keep-Alive', 'Content-Length', 'Transfer-Encoding'].map(ofTheConnection),
];
