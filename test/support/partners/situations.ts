import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readExchange } from '../exchanges.ts';
import { type LocalServer, openLocalServer } from './local-server.ts';

/** What a program is given, and what becomes of its requests. */
export interface Situation {
  readonly name: string;
  /** Answers one of the first `times` requests; all requests by default. */
  readonly answer?: (response: ServerResponse, good: string, request: IncomingMessage) => void;
  readonly times?: number;
  /** The environment beside the address and a key, made from the address of the service. */
  readonly env?: (url: string) => Readonly<Record<string, string>>;
  /** Whether the program gets what it asks for, at last. */
  readonly isGood?: boolean;
  /** What the last line of standard error is; without one nothing is written there. */
  readonly says?: RegExp;
  /** How many lines there are, if that is the same for every program. */
  readonly lines?: number;
  /** How many requests the service gets, where that is the same for every program. */
  readonly requests?: number;
  /** What standard error never holds, beside the key. */
  readonly silent?: RegExp;
}

/** The key that programs have; no line that they write may hold it. */
export const situationKey = 'aik_situation_k3yThatNobodyMayRead';

/** The address of nothing: connections to it are refused. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};
const nobody = `http://127.0.0.1:${await closedPort()}`;

/** The answer of the service to a path, as recorded. */
const goodAnswer = (url: string): string => {
  const names = { health: 'health', spikes: 'spikes', signings: 'signings' };
  const [, name] = Object.entries(names).find(([part]) => url.includes(part)) ?? [];
  return JSON.stringify(
    readExchange('current', name ?? 'artists-with-history-or-basic-fields').body,
  );
};

const ids = { 'X-Request-Id': '0e6a27f1', 'Content-Type': 'application/json' };
/** Of an answer whose histories are whole. */
const whole = { ...ids, ETag: 'W/"0e6a27f1"' };

/** A refusal in the words of the service. */
const refusal =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    const error = { code, message: 'The words of the service.', request_id: '0e6a27f1' };
    response.writeHead(status, { ...ids, ...headers }).end(JSON.stringify({ error }));
  };

const good =
  (headers: Readonly<Record<string, string>>) =>
  (response: ServerResponse, text: string): void => {
    response.writeHead(200, { ...whole, ...headers }).end(text);
  };

/** An answer of something before the service. */
const foreign =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    const page = '<!doctype html>\n<title>Just a\nmoment</title>';
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(page);
  };

const cut =
  (headers: Readonly<Record<string, string | number>>) =>
  (response: ServerResponse, text: string): void => {
    response.writeHead(200, { ...ids, ...headers });
    response.write(text.slice(0, 60), () => response.socket?.destroy());
  };

/** Begins an answer, and adds a letter every 50 ms, which is sooner than any timeout. */
const trickle =
  (start: string) =>
  ({ socket }: ServerResponse): void => {
    socket?.write(start);
    const timer = setInterval(() => socket?.write('x'), 50);
    socket?.once('close', () => clearInterval(timer));
  };

const hourHeaders = {
  'X-RateLimit-Limit': '100',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '1787400060',
};
const dayHeaders = {
  ...hourHeaders,
  'X-RateLimit-Limit': '10',
  'X-RateLimit-Remaining': '9',
  'X-RateLimit-Day-Limit': '1000',
  'X-RateLimit-Day-Remaining': '0',
  'X-RateLimit-Day-Reset': '1787443200',
};
const date = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
const later = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
const withVariable = (name: string, value: string) => () => ({ [name]: value });

/** 429 with this `Retry-After`, then a good answer. */
const retryAfter = (text: string | undefined, waits: RegExp): Situation => ({
  name: `429, Retry-After: ${text ?? 'none'}`.replace(/:.*GMT/, ': a date'),
  answer: refusal(429, 'rate_limited', text === undefined ? {} : { 'Retry-After': text }),
  times: 1,
  isGood: true,
  says: new RegExp(
    `^429 rate_limited: the requests a minute that .* share are used up.*: waiting ${waits.source} s$`,
  ),
});

const key = (name: string, value: string, says: RegExp): Situation => ({
  name,
  env: withVariable('ARTIST_API_KEY', value),
  says,
  requests: 0,
  silent: /OTHER|aik/,
});

const address = (name: string, from: (url: string) => string, says: RegExp): Situation => ({
  name,
  env: (url) => ({ ARTIST_API_URL: from(url) }),
  says,
  requests: 0,
  silent: /hunter2/,
});

/**
 * What may happen to a program that asks the service. Each is run against every program: what is
 * expected holds for all of them.
 */
export const situations: readonly Situation[] = [
  { name: '200', isGood: true },
  {
    name: '200 of another shape, of something else',
    answer: (response) => void response.end('{"login":"required"}'),
    says: /^200 from something before the service.*login/,
    requests: 1,
  },
  {
    name: '200 of another shape, of the service',
    answer: (response) => void response.writeHead(200, ids).end('{"data":[{"id":1},7],"meta":{}}'),
    says: /^200 that is not the answer to this request$/,
    requests: 1,
  },
  {
    name: '200 without a cursor, of the service',
    answer: (response) => void response.writeHead(200, ids).end('{"data":[],"meta":{}}'),
    says: /^200 that is not the answer to this request$/,
    requests: 1,
  },
  {
    name: '200 with a page of HTML',
    answer: foreign(200),
    says: /^200 from something before the service, not from itself \(no X-Request-Id\): Just a moment\.$/,
    requests: 1,
  },
  {
    name: '304 that nobody asked for',
    answer: (response) => void response.writeHead(304, ids).end(),
    says: /^304 that is not the answer to this request$/,
    requests: 1,
  },
  ...([400, 401, 403, 404, 405, 431] as const).map((status): Situation => {
    const code = `code_${status}`;
    const says = new RegExp(
      `^${status} ${code}: The words of the service\\. \\(request_id 0e6a27f1\\)$`,
    );
    return { name: `${status}`, answer: refusal(status, code), says, requests: 1 };
  }),
  {
    name: '403 of a firewall',
    answer: foreign(403),
    says: /^403 from something before the service, not from itself.*: Just a moment\.$/,
    requests: 1,
  },
  {
    name: '407 of a proxy',
    answer: foreign(407),
    says: /407 .*\. Put the user and password of the proxy into HTTPS_PROXY/,
    requests: 1,
  },
  {
    name: 'compressed without a request for it, behind a byte order mark',
    answer: (response, text) =>
      void response
        .writeHead(200, { ...whole, 'Content-Encoding': 'gzip' })
        .end(gzipSync(`\uFEFF${text}`)),
    isGood: true,
  },
  {
    name: '401 that repeats the key',
    answer: (response, _text, { headers }) =>
      void response
        .writeHead(401, ids)
        .end(JSON.stringify({ error: { code: 'x', message: headers.authorization } })),
    says: /^401 x: Bearer … \(request_id 0e6a27f1\)$/,
    requests: 1,
  },
  {
    name: '401 that repeats a part of the key, and another key',
    answer: (response, _text, { headers }) => {
      const message = `${headers.authorization?.slice(0, -4)}, not aik_other_s3cret`;
      response.writeHead(401, ids).end(JSON.stringify({ error: { code: 'x', message } }));
    },
    says: /^401 x: Bearer aik_situation_…, not aik_other_… \(request_id 0e6a27f1\)$/,
    requests: 1,
    silent: /k3yThat|s3cret/,
  },
  {
    name: '429 of the minute',
    answer: refusal(429, 'rate_limited', { ...dayHeaders, 'Retry-After': '24' }),
    times: 1,
    isGood: true,
    says: new RegExp(
      `^429 rate_limited: the 10 requests a minute that the keys of your organization share are used up until ${later}: waiting 24 s$`,
    ),
  },
  {
    name: '429 of the hour, of a key of the other form',
    answer: refusal(429, 'rate_limited', { ...hourHeaders, 'Retry-After': '24' }),
    times: 1,
    isGood: true,
    says: new RegExp(
      `^429 rate_limited: the 100 requests an hour of this key are used up until ${later}: waiting 24 s$`,
    ),
  },
  {
    name: '429 of the minute, again and again',
    answer: refusal(429, 'rate_limited', { 'Retry-After': '24' }),
    says: new RegExp(
      `^429 rate_limited: the requests a minute that .* share are used up until ${later}\\. Run this again then, or with --wait\\.$`,
    ),
    requests: 5,
  },
  {
    name: '429 of the day',
    answer: refusal(429, 'quota_exceeded', { ...dayHeaders, 'Retry-After': '71215' }),
    says: new RegExp(
      `^429 quota_exceeded: the 1000 requests a day that the keys of your organization share are used up until ${later}\\. Run this again then, or with --wait\\.$`,
    ),
    requests: 1,
  },
  {
    name: '429 of a network, in an hour',
    answer: foreign(429, { 'Retry-After': '3600' }),
    says: new RegExp(`^429 from something before the service.*Ask again at ${later}\\.`),
    requests: 1,
  },
  retryAfter('0', /1/),
  retryAfter(date(40), /\d+/),
  retryAfter(date(-99), /1/),
  retryAfter('soon', /[12](?:\.\d)?/),
  retryAfter('-5', /[12](?:\.\d)?/),
  retryAfter('1e9', /[12](?:\.\d)?/),
  retryAfter(undefined, /[12](?:\.\d)?/),
  {
    name: '500, again and again',
    answer: refusal(500, 'server_error'),
    says: /^500 server_error: The words of the service\. \(request_id 0e6a27f1\)$/,
    requests: 5,
  },
  {
    name: '502 of a proxy, four times',
    answer: foreign(502),
    times: 4,
    isGood: true,
    says: /^502 from something before the service.*: waiting \d+(?:\.\d)? s$/,
  },
  {
    name: '503 for 7 seconds, four times',
    answer: refusal(503, 'service_unavailable', { 'Retry-After': '7' }),
    times: 4,
    isGood: true,
    says: /^503 service_unavailable: .*: waiting 7 s$/,
  },
  {
    name: '503 for 7 seconds, again and again',
    answer: refusal(503, 'service_unavailable', { 'Retry-After': '7' }),
    says: new RegExp(
      `^503 service_unavailable: .* Ask again at ${later}\\. Run this again then\\.$`,
    ),
    requests: 5,
  },
  {
    name: '503 for two hours',
    answer: refusal(503, 'service_unavailable', { 'Retry-After': '7200' }),
    says: new RegExp(
      `^503 service_unavailable: .* Ask again at ${later}\\. Run this again then, or with --wait\\.$`,
    ),
    requests: 1,
  },
  {
    name: '503 for two minutes, again and again',
    answer: refusal(503, 'service_unavailable', { 'Retry-After': '120' }),
    says: /^503 service_unavailable/,
    requests: 3,
  },
  ...[429, 503].map(
    (status): Situation => ({
      name: `${status} without a code and a message, again and again`,
      answer: (response) => void response.writeHead(status, ids).end('{}'),
      says: new RegExp(
        `^${status}: (?:the requests a minute that .* are used up|no message \\(request_id 0e6a27f1\\))$`,
      ),
      requests: 5,
    }),
  ),
  ...(['http://127.0.0.2:9/login?state=1', '/elsewhere', '//127.0.0.2:9/x'] as const).map(
    (target): Situation => ({
      name: `302 to ${target.slice(0, 16)}`,
      answer: (response) => void response.writeHead(302, { ...ids, Location: target }).end('{}'),
      says: /^302 redirects to http:\/\/127\.0\.0\.[12]:\d+\/\w+, which is not asked: the key goes to \S+ only\.$/,
      requests: 1,
    }),
  ),
  {
    name: 'connection refused',
    env: () => ({ ARTIST_API_URL: nobody }),
    says: /^No answer from http:\/\/127\.0\.0\.1:\d+: .*(?:refused|ECONNREFUSED)/,
  },
  {
    name: 'host unknown',
    env: withVariable('ARTIST_API_URL', 'http://service.invalid'),
    says: /^No answer from http:\/\/service\.invalid: /,
  },
  {
    name: 'TLS to a port without it',
    env: (url) => ({ ARTIST_API_URL: url.replace('http:', 'https:') }),
    says: /^No answer from https:\/\/127\.0\.0\.1:\d+: .*SSL.*\. Check the address: this port might not use TLS/i,
    lines: 1,
  },
  {
    name: 'connection closed without an answer',
    answer: (response) => void response.socket?.destroy(),
    says: /^No answer from /,
    requests: 5,
  },
  {
    name: 'connection reset, four times',
    answer: (response) => void response.socket?.resetAndDestroy(),
    times: 4,
    isGood: true,
    says: /^No answer from .*: waiting \d+(?:\.\d)? s$/,
  },
  {
    name: 'cut in the head',
    answer: (response) => void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Ty'),
    says: /^No answer from /,
    requests: 5,
  },
  {
    name: 'cut in the body',
    answer: cut({ 'Content-Length': 4000 }),
    says: /^No answer from .*: the answer was cut off$/,
    requests: 5,
  },
  {
    name: 'cut in a chunk',
    answer: cut({}),
    says: /^No answer from .*: the answer was cut off$/,
    requests: 5,
  },
  {
    name: 'cut where nothing shows it',
    answer: (response, text) =>
      void response.socket?.end(
        `HTTP/1.0 200 OK\r\nX-Request-Id: 0e6a27f1\r\n\r\n${text.slice(0, 60)}`,
      ),
    says: /^200 that is not the answer to this request$/,
    requests: 5,
  },
  {
    name: 'no answer',
    answer: () => {},
    env: withVariable('TRIAL_TIMEOUT', '0.3'),
    says: /^No answer from .*(?:timed out|timeout)/,
  },
  {
    name: 'an answer that does not end',
    answer: (response, text) => void response.writeHead(200, ids).write(text.slice(0, 60)),
    env: withVariable('TRIAL_TIMEOUT', '0.3'),
    says: /^No answer from .*(?:timed out|timeout)/,
  },
  {
    name: 'a body that does not end, in parts',
    answer: trickle('HTTP/1.1 200 OK\r\nX-Request-Id: 0e6a27f1\r\n\r\n'),
    env: withVariable('TRIAL_TIMEOUT', '0.3'),
    says: /^No answer from .*(?:timed out|timeout)/,
  },
  key('no key', '', /^ARTIST_API_KEY is not set/),
  key(
    'key with a second line',
    'aik_one\nOTHER=1',
    /^ARTIST_API_KEY has U\+000A as its character 8: /,
  ),
  key('key in typographic quotes', '“aik_one”', /^ARTIST_API_KEY has U\+201C as its character 1: /),
  key(
    'key with a byte order mark',
    '\uFEFFaik_one',
    /^ARTIST_API_KEY has U\+FEFF as its character 1: /,
  ),
  key('key as /docs prints it', 'aik_…', /^ARTIST_API_KEY has U\+2026 as its character 5: /),
  {
    name: 'key with a line end behind it',
    env: withVariable('ARTIST_API_KEY', `${situationKey}\r\n`),
    isGood: true,
  },
  {
    name: 'address with / at its end',
    env: (url) => ({ ARTIST_API_URL: `${url}//` }),
    isGood: true,
  },
  {
    name: 'address with the path of the contract',
    env: (url) => ({ ARTIST_API_URL: `${url}/music/api/v1/` }),
    isGood: true,
  },
  address(
    'address without a scheme',
    (url) => url.slice(7),
    /^ARTIST_API_URL does not begin with http:\/\/ or https:\/\/\.$/,
  ),
  address(
    'address with credentials',
    (url) => url.replace('//', '//me:hunter2@'),
    /^ARTIST_API_URL has a user or a password/,
  ),
  address(
    'address with a query',
    (url) => `${url}/?key=hunter2`,
    /^ARTIST_API_URL has a query or a fragment\.$/,
  ),
  address(
    'address with a blank',
    (url) => `${url} hunter2`,
    /^ARTIST_API_URL has a blank as its character /,
  ),
  address(
    'address without a host',
    () => 'http://',
    /^ARTIST_API_URL has no valid host or port\.$/,
  ),
  address(
    'address with two points',
    () => 'http://hunter2..example.com',
    /^ARTIST_API_URL has no valid host or port\.$/,
  ),
  address(
    'address with a part of 64 characters',
    () => `http://hunter2.${'x'.repeat(64)}.example.com`,
    /^ARTIST_API_URL has no valid host or port\.$/,
  ),
  {
    name: 'form announced to end',
    answer: good({
      Sunset: date(95 * 86_400 + 3600),
      Deprecation: '@1787400060',
      Link: '</docs/migration>; rel="deprecation", </docs/migration>; rel="sunset"',
    }),
    isGood: true,
    says: new RegExp(
      `^Sunset: the form in which this key is answered ends on ${later}, in 95 days\\. Read http://127\\.0\\.0\\.1:\\d+/docs/migration$`,
    ),
  },
  {
    name: 'form past its end',
    answer: good({ Sunset: date(-60) }),
    isGood: true,
    says: new RegExp(
      `^Sunset: the form in which this key is answered ended on ${later} and may be refused at any time\\. Read `,
    ),
  },
  {
    name: 'form with an end that is no date',
    answer: good({ Sunset: 'to\tmorrow' }),
    isGood: true,
    says: /^Sunset: the form in which this key is answered ends: to morrow\. Read /,
  },
  {
    name: 'key that expires',
    answer: good({ 'X-Key-Expires': date(9 * 86_400 + 3600) }),
    isGood: true,
    says: new RegExp(
      `^X-Key-Expires: this key ends on ${later}, in 9 days\\. Read http://127\\.0\\.0\\.1:\\d+/docs$`,
    ),
  },
  {
    name: 'key that expires in a month',
    answer: good({ 'X-Key-Expires': date(31 * 86_400) }),
    isGood: true,
  },
  {
    name: 'key past its end by the clock of the service',
    answer: good({ 'X-Key-Expires': date(40), Date: date(86_400) }),
    isGood: true,
    says: /^X-Key-Expires: this key ended on .* and may be refused at any time\. /,
  },
  {
    name: 'form of another kind of key',
    answer: good({ 'X-Envelope-Served': 'variant' }),
    says: /^This key is answered in the variant form, and this client reads the current form: see http:\S+\/docs\/migration$/,
  },
  {
    name: 'revoked key of another form',
    answer: (response, text, { url = '' }) =>
      url.includes('health')
        ? good({ 'X-Envelope-Served': 'variant' })(response, text)
        : refusal(401, 'unauthorized', { 'X-Envelope-Served': 'variant' })(response),
    says: /^401 unauthorized: The words of the service\./,
  },
];

/** A service to which something happens. */
interface SituationServer extends LocalServer {
  readonly requests: readonly IncomingMessage[];
}

/** Opens a service that lets this happen to its first requests, and then answers as recorded. */
export const openSituation = async ({
  answer,
  times = Number.POSITIVE_INFINITY,
}: Situation): Promise<SituationServer> => {
  const requests: IncomingMessage[] = [];
  const server = await openLocalServer((request, response) => {
    requests.push(request);
    const text = goodAnswer(request.url ?? '');
    if (answer !== undefined && requests.length <= times) answer(response, text, request);
    else response.writeHead(200, whole).end(text);
  });
  return { ...server, requests };
};
