import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { readExchange } from '../support/exchanges.ts';
import { openLocalServer } from '../support/partners/local-server.ts';
import { clientKinds, runClient } from '../support/partners/programs.ts';

type Headers = Readonly<Record<string, string | number>>;
type Answer = (response: ServerResponse, good: string, request: IncomingMessage) => void;

/** What happens to the requests of a program, and how the program ends. */
interface Situation {
  readonly name: string;
  /** Answers the first `times` requests; all by default. The service answers the others. */
  readonly answer?: Answer;
  readonly times?: number;
  /** Variables in addition to the address and a key, from the address of the service. */
  readonly env?: (url: string) => Readonly<Record<string, string>>;
  readonly isGood?: boolean;
  /** The last line of standard error, as `patternOf` reads it; without it there is none. */
  readonly line?: RegExp | string;
  /** The number of requests, if it is the same for every program. */
  readonly requests?: number;
  /** What standard error never contains, in addition to the key. */
  readonly silent?: RegExp;
}

/** No line of a program may contain it. */
const secret = 'aik_situation_k3yThatNoOneMayRead';

const ids = { 'X-Request-Id': '0e6a27f1', 'Content-Type': 'application/json' };
/** Of a response whose histories are complete. */
const whole = { ...ids, ETag: 'W/"0e6a27f1"' };

const reply =
  (status: number, headers: Headers, text = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(text);
const refusal = (status: number, code: string, headers: Headers = {}): Answer => {
  const error = { code, message: 'The words of the service.', request_id: '0e6a27f1' };
  return reply(status, { ...ids, ...headers }, JSON.stringify({ error }));
};
const good =
  (headers: Headers): Answer =>
  (response, text) =>
    response.writeHead(200, { ...whole, ...headers }).end(text);
/** A response of something before the service. */
const foreign = (status: number, headers: Headers = {}): Answer =>
  reply(status, headers, '<!doctype html>\n<title>Just a\nmoment</title>');
const cut =
  (headers: Headers): Answer =>
  (response, text) => {
    response.writeHead(200, { ...ids, ...headers });
    response.write(text.slice(0, 60), () => response.socket?.destroy());
  };
const raw =
  (text: string): Answer =>
  ({ socket }) =>
    socket?.end(text);
/** Begins a response, and adds a letter every 50 ms, which is sooner than any timeout. */
const trickle: Answer = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\nX-Request-Id: 0e6a27f1\r\n\r\n');
  const timer = setInterval(() => socket?.write('x'), 50);
  socket?.once('close', () => clearInterval(timer));
};
/** An error of the service that repeats a text made of the key in the request. */
const repeating =
  (from: (sent: string) => string): Answer =>
  (response, _text, { headers }) => {
    const error = { code: 'x', message: from(String(headers.authorization)) };
    response.writeHead(401, ids).end(JSON.stringify({ error }));
  };

const window = (name: string, limit: number, remaining: number, reset: number): Headers => ({
  [`X-RateLimit${name}-Limit`]: limit,
  [`X-RateLimit${name}-Remaining`]: remaining,
  [`X-RateLimit${name}-Reset`]: reset,
});
const hour = window('', 100, 0, 1787400060);
const day = { ...window('', 10, 9, 1787400060), ...window('-Day', 1000, 0, 1787443200) };
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
/** A line in which TIME stands for a time, N for a number and * for any text. */
const patternOf = (line: string): RegExp => {
  const pattern = line
    .replaceAll(/[.()?+]/g, '\\$&')
    .replaceAll(/\bN\b/g, '[\\d.]+')
    .replaceAll('*', '.*')
    .replaceAll('TIME', '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ');
  return new RegExp(`^${pattern}$`);
};
const shared = 'that the keys of your organization share are used up until TIME';
const later = 'Run this again then, or with --wait.';
const set = (name: string, value: string) => () => ({ [name]: value });
const hasty = set('timeout', '0.3');

/** Fails with this line after so many requests. */
const fails = (name: string, answer: Answer, line: RegExp | string, requests = 1): Situation => ({
  ...{ name, answer, line, requests },
});
/** Succeeds after this response to the first request. */
const waits = (name: string, answer: Answer, line: RegExp | string, times = 1): Situation => ({
  ...{ name, answer, line, times, isGood: true },
});
const retryAfter = (text: string | undefined, seconds: string): Situation =>
  waits(
    `429 with Retry-After ${text ?? 'missing'}`.replace(/\w+,.*GMT/, 'a date'),
    refusal(429, 'rate_limited', text === undefined ? {} : { 'Retry-After': text }),
    `429 rate_limited: the requests a minute *: waiting ${seconds} s`,
  );
const notes = (name: string, headers: Headers, line?: string): Situation => ({
  ...{ name, answer: good(headers), isGood: true, ...(line && { line }) },
});
/** A key that is rejected before the first request. */
const key = (name: string, value: string, line: string): Situation => ({
  name: `key ${name}`,
  ...{ env: set('ARTIST_API_KEY', value), requests: 0, silent: /OTHER|aik/ },
  line: `ARTIST_API_KEY ${line}`,
});
const address = (name: string, from: (url: string) => string, line: string): Situation => ({
  name: `address ${name}`,
  env: (url) => ({ ARTIST_API_URL: from(url) }),
  ...{ requests: 0, silent: /hunter2/, line: `ARTIST_API_URL ${line}` },
});
const works = (name: string, env: (url: string) => Readonly<Record<string, string>>) => ({
  ...{ name, env, isGood: true },
});
const otherShape = '200: unexpected response';
const wordsOf = (status: number, code: string): string =>
  `${status} ${code}: The words of the service. (request_id 0e6a27f1)`;

const situations: readonly Situation[] = [
  { name: '200', isGood: true },
  fails(
    '200 of another service',
    reply(200, {}, '{"login":"required"}'),
    '200 from something before the service*login*',
  ),
  fails('200 of another shape', reply(200, ids, '{"data":[{"id":1},7],"meta":{}}'), otherShape),
  fails('200 without a cursor', reply(200, ids, '{"data":[],"meta":{}}'), otherShape),
  fails(
    '200 with HTML',
    foreign(200),
    '200 from something before the service (no X-Request-Id): Just a moment.',
  ),
  fails('304 without a condition', reply(304, ids), '304: unexpected response'),
  ...[400, 403, 405, 431].map((status) =>
    fails(`${status}`, refusal(status, `code_${status}`), wordsOf(status, `code_${status}`)),
  ),
  fails(
    '407 of a proxy',
    foreign(407),
    '*407 *. Put the user and password of the proxy into HTTPS_PROXY*',
  ),
  {
    name: 'gzip without a request for it, after a byte order mark',
    answer: (response, text) =>
      response
        .writeHead(200, { ...whole, 'Content-Encoding': 'gzip' })
        .end(gzipSync(`\uFEFF${text}`)),
    isGood: true,
  },
  fails(
    '401 that repeats the key',
    repeating((sent) => sent),
    '401 x: Bearer … (request_id 0e6a27f1)',
  ),
  {
    ...fails(
      '401 that repeats a part of the key, and another key',
      repeating((sent) => `${sent.slice(0, -4)}, not aik_other_s3cret`),
      '401 x: Bearer aik_situation_…, not aik_other_… (request_id 0e6a27f1)',
    ),
    silent: /k3yThat|s3cret/,
  },
  waits(
    '429 of the minute',
    refusal(429, 'rate_limited', { ...day, 'Retry-After': 24 }),
    `429 rate_limited: the 10 requests a minute ${shared}: waiting 24 s`,
  ),
  waits(
    '429 of the hour, for a variant key',
    refusal(429, 'rate_limited', { ...hour, 'Retry-After': 24 }),
    '429 rate_limited: the 100 requests an hour of this key are used up until TIME: waiting 24 s',
  ),
  fails(
    '429 five times',
    refusal(429, 'rate_limited', { 'Retry-After': 24 }),
    `429 rate_limited: the requests a minute ${shared}. ${later}`,
    5,
  ),
  fails(
    '429 of the day',
    refusal(429, 'quota_exceeded', { ...day, 'Retry-After': 71215 }),
    `429 quota_exceeded: the 1000 requests a day ${shared}. ${later}`,
  ),
  fails(
    '429 of a network for an hour',
    foreign(429, { 'Retry-After': 3600 }),
    '429 from something before the service*Retry at TIME.*',
  ),
  retryAfter('0', '1'),
  retryAfter(inSeconds(40), 'N'),
  retryAfter(inSeconds(-99), '1'),
  ...['soon', '-5', '1e9', undefined].map((text) => retryAfter(text, 'N')),
  fails('500 five times', refusal(500, 'server_error'), wordsOf(500, 'server_error'), 5),
  waits('502 of a proxy four times', foreign(502), '502 from something *: waiting N s', 4),
  waits(
    '503 for 7 seconds four times',
    refusal(503, 'service_unavailable', { 'Retry-After': 7 }),
    '503 service_unavailable: *: waiting 7 s',
    4,
  ),
  ...(
    [
      [7, 5, 'Run this again then.'],
      [120, 3, later],
      [7200, 1, later],
    ] as const
  ).map(([seconds, requests, advice]) =>
    fails(
      `503 for ${seconds} seconds, every time`,
      refusal(503, 'service_unavailable', { 'Retry-After': seconds }),
      `503 service_unavailable: * Retry at TIME. ${advice}`,
      requests,
    ),
  ),
  fails('503 without a code', reply(503, ids, '{}'), '503: no message (request_id 0e6a27f1)', 5),
  ...['http://127.0.0.2:9/login?state=1', '/elsewhere', '//127.0.0.2:9/x'].map((target) =>
    fails(
      `302 to ${target}`,
      reply(302, { ...ids, Location: target }),
      '302 redirects to http://127.0.0.N:N/*, which was not requested: the key is sent to * only.',
    ),
  ),
  {
    name: 'connection refused',
    env: set('ARTIST_API_URL', 'http://127.0.0.1:2'),
    line: /^No response from http:\/\/127\.0\.0\.1:2: .*(?:refused|ECONNREFUSED)/,
  },
  {
    name: 'host unknown',
    env: set('ARTIST_API_URL', 'http://service.invalid'),
    line: 'No response from http://service.invalid: *',
  },
  {
    name: 'TLS to a port without it',
    env: (url) => ({ ARTIST_API_URL: url.replace('http:', 'https:') }),
    line: /^No response from https:\/\/127\.0\.0\.1:\d+: .*SSL.*\. Check the address: this port might not use TLS/i,
  },
  waits(
    'connection reset four times',
    (response) => response.socket?.resetAndDestroy(),
    'No response from *: waiting N s',
    4,
  ),
  fails('cut in the head', raw('HTTP/1.1 200 OK\r\nContent-Ty'), 'No response from *', 5),
  ...[{ 'Content-Length': 4000 }, {}].map((headers) =>
    fails(
      `cut in ${'Content-Length' in headers ? 'the body' : 'a chunk'}`,
      cut(headers),
      'No response from *: the response was cut off',
      5,
    ),
  ),
  fails(
    'cut unnoticed',
    raw('HTTP/1.0 200 OK\r\nX-Request-Id: r\r\n\r\n{"data":[{"id"'),
    otherShape,
  ),
  ...[() => {}, trickle].map((answer, index) => ({
    ...{ name: `no ${index === 0 ? 'response' : 'end of the response'}`, answer, env: hasty },
    line: /^No response from .*(?:timed out|timeout)/,
  })),
  key('missing', '', 'is not set*'),
  key('of two lines', 'aik_one\nOTHER=1', 'has U+000A at character 8: *'),
  key('of /docs', 'aik_…', 'has U+2026 at character 5: *'),
  works('key before a line end', set('ARTIST_API_KEY', `${secret}\r\n`)),
  works('address before slashes', (url) => ({ ARTIST_API_URL: `${url}//` })),
  works('address with the path of the API', (url) => ({
    ARTIST_API_URL: `${url}/music/api/v1/`,
  })),
  address('without a scheme', (url) => url.slice(7), 'does not begin with http:// or https://.'),
  address('with a user', (url) => url.replace('//', '//me:hunter2@'), 'has a user or a password*'),
  address('with a query', (url) => `${url}/?key=hunter2`, 'has a query or a fragment.'),
  address('with a space', (url) => `${url} hunter2`, 'has a space at character *'),
  ...['', 'hunter2..example.com', `hunter2.${'x'.repeat(64)}.example.com`].map((host) =>
    address(`with the host "${host}"`, () => `http://${host}`, 'has no valid host or port.'),
  ),
  notes(
    'form with an announced end',
    { Sunset: inSeconds(95 * 86_400 + 3600) },
    'Sunset: the form of this key ends on TIME, in 95 days. Read http://127.0.0.1:N/docs/migration',
  ),
  notes(
    'form past its end',
    { Sunset: inSeconds(-60) },
    'Sunset: the form of this key ended on TIME and may be refused at any time. Read *',
  ),
  notes(
    'form with an end that is no date',
    { Sunset: 'to\tmorrow' },
    'Sunset: the form of this key ends: to morrow. Read *',
  ),
  notes(
    'key that expires soon',
    { 'X-Key-Expires': inSeconds(9 * 86_400 + 3600) },
    'X-Key-Expires: this key ends on TIME, in 9 days. Read http://127.0.0.1:N/docs',
  ),
  notes('key that expires in a month', { 'X-Key-Expires': inSeconds(31 * 86_400) }),
  notes(
    'key expired by the clock of the service',
    { 'X-Key-Expires': inSeconds(40), Date: inSeconds(86_400) },
    'X-Key-Expires: this key ended on * and may be refused at any time. *',
  ),
  {
    name: 'variant key',
    answer: good({ 'X-Envelope-Served': 'variant' }),
    line: 'This key has the variant form, and this client reads the current form: see *migration',
  },
  {
    name: 'revoked variant key',
    answer: (response, text, request) => {
      const served = { 'X-Envelope-Served': 'variant' };
      const isHealth = request.url?.includes('health') === true;
      const answer = isHealth ? good(served) : refusal(401, 'unauthorized', served);
      answer(response, text, request);
    },
    line: '401 unauthorized: The words of the service.*',
  },
];

/** The recorded response of the service to a path. */
const goodAnswer = (url: string): string => {
  const name = /health|spikes|signings/.exec(url)?.[0] ?? 'artists-with-history-or-basic-fields';
  return JSON.stringify(readExchange('current', name).body);
};

/** The parameters of the programs. By day a situation meets the first and one of the others. */
const programs = [
  ...clientKinds.flatMap((kind) => [
    [kind, 'list'],
    [kind, 'poll', '--polls', '1'],
  ]),
  ['py', 'copy', 'shortlist.db'],
] as const;
const isRun = (program: number, situation: number): boolean =>
  process.env['EXAMPLE_RUNS'] === 'all' ||
  program === 0 ||
  program === 1 + (situation % (programs.length - 1));

describe('the programs that partners download', () => {
  const cleanup = useCleanup(afterEach);

  const expectOutcome = async (
    { answer, times = Number.POSITIVE_INFINITY, env, isGood = false, ...situation }: Situation,
    [kind, ...parameters]: (typeof programs)[number],
  ): Promise<void> => {
    const requests: IncomingMessage[] = [];
    const { url } = await openLocalServer(cleanup, (request, response) => {
      requests.push(request);
      const use = answer !== undefined && requests.length <= times ? answer : good({});
      use(response, goodAnswer(request.url ?? ''), request);
    });
    const { timeout = '5', ...more } = env?.(url) ?? {};
    const options = ['--wait-factor', '0.0002', '--timeout', timeout];
    const own = { ARTIST_API_URL: url, ARTIST_API_KEY: secret, ...more };
    const cwd = await cleanup.makeFolder('situation');
    const run = await runClient(kind, [...parameters, ...options], own, cwd);
    const { code, stdout, errors, why } = run;
    expect([code, stdout !== ''], why).to.deep.equal([isGood ? 0 : 1, isGood]);
    const { line } = situation;
    if (line === undefined) expect(errors, why).to.deep.equal([]);
    else expect(errors.at(-1), why).to.match(typeof line === 'string' ? patternOf(line) : line);
    const waits = errors.flatMap((error) => /: waiting ([\d.]+) s$/.exec(error)?.[1] ?? []);
    expect(errors.length - waits.length, why).to.be.at.most(1);
    expect(
      waits.map(Number).reduce((sum, more) => sum + more, 0),
      why,
    ).to.be.at.most(300);
    const { requests: count = requests.length } = situation;
    expect(requests, why).to.have.lengthOf(count);
    const text = errors.join('\n').replaceAll('aik_…', '');
    expect(text).to.not.include(secret);
    if (situation.silent) expect(text).to.not.match(situation.silent);
    for (const { headers } of requests) {
      expect(headers['user-agent']).to.match(/^[\w.-]+\/\d+\.\d+\.\d+$/);
      expect(headers.authorization).to.equal(`Bearer ${secret}`);
    }
  };

  for (const [turn, situation] of situations.entries())
    it(`succeed or end with one line: ${situation.name}`, async () => {
      const run = programs.filter((_, index) => isRun(index, turn));
      await Promise.all(run.map((program) => expectOutcome(situation, program)));
    });
});
