import { unissuedKey } from '../forms/form-keys.ts';

/**
 * Malformed and hostile messages, byte for byte. The numbers are those of the specification's catalogue of bad inputs;
 * its decisions take precedence where the two differ.
 */
export interface BadMessage {
  readonly number: number;
  readonly what: string;
  /** The message, for a key of the form. */
  readonly bytes: (key: string) => string | Buffer;
  /** Which key of the form; by default an active one with every scope. */
  readonly as?: 'revoked' | 'expired' | 'suspended';
  /** Whether the client half-closes the connection (FIN) after the message. */
  readonly endsInput?: boolean;
  readonly status: number | { readonly current: number; readonly variant: number };
  /** Whether the gateway rejects it before it knows the form, and so answers in the current one. */
  readonly isFormless?: boolean;
  /** Whether the connection is closed after the answer. */
  readonly closes?: boolean;
  readonly isHead?: boolean;
}

const health = '/api/v1/health';
const signings = '/api/v1/signings';
export const host = 'Host: gateway.test';

export const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const as = (key: string): string => `Authorization: Bearer ${key}`;

/** A GET of signings with a valid key and these headers. */
const good = (key: string, ...headers: readonly string[]): string =>
  lines(`GET ${signings} HTTP/1.1`, host, as(key), ...headers);

/** Messages that the parser rejects: the gateway sends the current form's error and closes the connection. */
const rejected = (
  status: number,
  rows: readonly (readonly [number: number, what: string, bytes: string | Buffer])[],
): BadMessage[] =>
  rows.map(([number, what, bytes]) => ({ number, what, bytes: () => bytes, status, isFormless: true, closes: true }));

/** Messages that the gateway answers in the form of the key. */
const answered = (
  status: BadMessage['status'],
  rows: readonly (readonly [number: number, what: string, say: (key: string) => string])[],
  given: Partial<BadMessage> = {},
): BadMessage[] => rows.map(([number, what, bytes]) => ({ number, what, bytes, status, ...given }));

const target = (path: string) => (key: string) => lines(`GET ${path} HTTP/1.1`, host, as(key));
const method =
  (name: string, path = signings, ...headers: readonly string[]) =>
  (key: string) =>
    lines(`${name} ${path} HTTP/1.1`, host, as(key), ...headers);
const post = (...headers: readonly string[]) => lines(`POST ${signings} HTTP/1.1`, host, ...headers);

const paths: readonly BadMessage[] = [
  ...answered(404, [
    [56, 'an unknown path', target('/nope')],
    [56, 'the version alone', target('/api/v1')],
    [56, 'another version', target('/api/v2/artists')],
    [57, 'a trailing slash', target('/api/v1/artists/')],
    [58, 'capitals', target('/API/V1/ARTISTS')],
    [59, 'two slashes first', target('//api/v1/artists')],
    [59, 'two slashes within', target('/api/v1//artists')],
    [60, 'dots', target('/api/v1/x/../artists')],
    [61, 'escaped dots for an id', target('/api/v1/artists/%2e%2e%2fhealth')],
    [61, 'an escaped slash in an id', target('/api/v1/artists/a%2Fb')],
    [62, 'an escaped NUL in an id', target('/api/v1/artists/a%00b')],
    [62, 'an escape that is not UTF-8', target('/api/v1/artists/%ff')],
    [62, 'an escape without hex digits', target('/api/v1/artists/%zz')],
    [62, 'a truncated UTF-8 sequence', target('/api/v1/artists/%c3')],
    [62, 'half of a surrogate pair', target('/api/v1/artists/%ED%A0%80')],
    [62, 'a truncated escape', target('/api/v1/artists/100%')],
    [63, 'the name of a prototype', target('/api/v1/artists/__proto__')],
    [63, 'the name of a constructor', target('/api/v1/artists/constructor')],
    [65, 'an id of another kind', target('/api/v1/artists/xyz')],
    [64, 'an id of 5,000 letters', target(`/api/v1/artists/${'x'.repeat(5_000)}`)],
    [66, 'a parameter of the path', target('/api/v1/artists;x=1')],
    [66, 'a fragment', target('/api/v1/health#x')],
    [66, 'backslashes', target('/api\\v1\\health')],
    [71, 'OPTIONS of the whole server', method('OPTIONS', '*')],
  ]),
  ...answered(200, [[67, 'an absolute target', target('http://other.test/api/v1/signings')]]),
  ...rejected(400, [
    [66, 'a target that begins with a backslash', lines('GET \\api HTTP/1.1', host)],
    [68, 'a raw UTF-8 byte in the target', Buffer.from(lines('GET /é HTTP/1.1', host))],
    [68, 'a space in the target', lines('GET /a b HTTP/1.1', host)],
    [68, 'a tab in the target', lines('GET /a\tb HTTP/1.1', host)],
    [68, 'an empty target', lines('GET  HTTP/1.1', host)],
  ]),
];

const withoutBody = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];

const methods: readonly BadMessage[] = [
  ...answered(405, [
    ...['POST', ...withoutBody].map((name) => [72, name, method(name)] as const),
    [
      71,
      'a CORS preflight',
      method('OPTIONS', signings, 'Origin: https://a.test', 'Access-Control-Request-Method: GET'),
    ],
  ]),
  ...answered(405, [[69, 'POST with a body', method('POST', signings, 'Content-Length: 2', '', '{}')]], {
    closes: true,
  }),
  ...answered(405, [[70, 'HEAD', method('HEAD')]], { isHead: true }),
  ...rejected(405, [
    [73, 'an unknown method', lines(`FOO ${signings} HTTP/1.1`, host)],
    [73, 'a method in small letters', lines(`get ${signings} HTTP/1.1`, host)],
    [74, 'CONNECT', lines('CONNECT gateway.test:443 HTTP/1.1', host)],
  ]),
  ...answered(200, [[75, 'an override of the method', (key) => good(key, 'X-HTTP-Method-Override: DELETE')]]),
];

const hosts: readonly BadMessage[] = [
  ...rejected(400, [
    [88, 'no Host', lines(`GET ${health} HTTP/1.1`)],
    [89, 'two Hosts', lines(`GET ${health} HTTP/1.1`, host, host)],
    [89, 'an empty Host', lines(`GET ${health} HTTP/1.1`, 'Host:')],
    [89, 'a blank in Host', lines(`GET ${health} HTTP/1.1`, 'Host: a b')],
    [89, 'a user in Host', lines(`GET ${health} HTTP/1.1`, 'Host: evil.test:x@gateway.test')],
    [89, 'a path in Host', lines(`GET ${health} HTTP/1.1`, 'Host: gateway.test/x')],
    [89, 'an odd port in Host', lines(`GET ${health} HTTP/1.1`, 'Host: gateway.test:x')],
  ]),
  ...answered(200, [
    [89, 'an IPv6 address in Host', (key) => good(key).replace('gateway.test', '[::1]:3000')],
    [
      90,
      'X-Forwarded-Host and X-Forwarded-For',
      (key) => good(key, 'X-Forwarded-Host: evil.test', 'X-Forwarded-For: ::1, x'),
    ],
    [90, 'X-Forwarded-Proto and Forwarded', (key) => good(key, 'X-Forwarded-Proto: evil', 'Forwarded: host=evil.test')],
    [91, 'a request id', (key) => good(key, `X-Request-Id: ${'x'.repeat(200)}\xe9`)],
  ]),
];

const manyHeaders = (count: number): string[] => Array.from({ length: count }, () => 'a:b');

const heads: readonly BadMessage[] = [
  ...rejected(431, [
    [92, 'a header of 9 KB', lines(`GET ${health} HTTP/1.1`, host, `X: ${'x'.repeat(9_000)}`)],
    [92, 'a header of 100 KB', lines(`GET ${health} HTTP/1.1`, host, `X: ${'x'.repeat(100_000)}`)],
    [92, 'a target of 17 KB', lines(`GET /${'x'.repeat(17_000)} HTTP/1.1`, host)],
    [93, '101 headers', lines(`GET ${health} HTTP/1.1`, host, ...manyHeaders(100))],
    [93, '2,100 headers', lines(`GET ${health} HTTP/1.1`, host, ...manyHeaders(2_100))],
    [79, 'a key of 10 KB', lines(`GET ${health} HTTP/1.1`, host, as('x'.repeat(10_000)))],
  ]),
  ...answered(200, [
    [93, '100 headers', (key) => good(key, ...manyHeaders(98))],
    [94, 'a header named after a prototype', (key) => good(key, '__proto__: x', 'constructor: x')],
  ]),
  ...rejected(400, [
    [95, 'bare line feeds', `GET ${health} HTTP/1.1\n${host}\n\n`],
    [95, 'a folded header', lines(`GET ${health} HTTP/1.1`, host, 'X: a', ' b')],
    [95, 'a NUL', lines(`GET ${health} HTTP/1.1`, host, 'X: a\0b')],
    [95, 'a bare carriage return', lines(`GET ${health} HTTP/1.1`, host, 'X: a\rb')],
    [95, 'a blank behind a name', lines(`GET ${health} HTTP/1.1`, host, 'X : a')],
    [95, 'a header without a name', lines(`GET ${health} HTTP/1.1`, host, ': a')],
  ]),
];

const bodies: readonly BadMessage[] = [
  ...rejected(400, [
    [96, 'a length and chunks', `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    [96, 'two lengths', `${post('Content-Length: 5', 'Content-Length: 5')}hello`],
    [96, 'a length with a sign', `${post('Content-Length: +1')}a`],
    [96, 'a length below zero', `${post('Content-Length: -1')}a`],
    [96, 'a huge length', `${post('Content-Length: 99999999999999999999')}a`],
    [96, 'Transfer-Encoding: identity', `${post('Transfer-Encoding: identity')}a`],
    [96, 'an unknown encoding', `${post('Transfer-Encoding: xchunked')}a`],
    [96, 'chunked before identity', `${post('Transfer-Encoding: chunked, identity')}a`],
    [96, 'a blank before the colon', `${post('Transfer-Encoding : chunked')}0\r\n\r\n`],
    [97, 'a bad chunk size', `${post('Transfer-Encoding: chunked')}zz\r\n`],
    [97, 'a chunk extension of 20 KB', `${post('Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n`],
  ]),
  ...answered(
    200,
    [
      [101, 'GET with a body', (key) => `${good(key, 'Content-Length: 5')}hello`],
      [101, 'GET with a body that never comes', (key) => good(key, 'Content-Length: 5')],
      [101, 'GET with chunks', (key) => `${good(key, 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
      [102, 'a body with Expect: 100-continue', (key) => good(key, 'Content-Length: 5', 'Expect: 100-continue')],
    ],
    { closes: true },
  ),
  ...answered(401, [[84, 'a key in a trailer', (key) => trailed(key)]], { isFormless: true, closes: true }),
  ...rejected(417, [[102, 'an unknown expectation', lines(`GET ${health} HTTP/1.1`, host, 'Expect: foo')]]),
];

const trailed = (key: string): string =>
  `${lines(`GET ${signings} HTTP/1.1`, host, 'Transfer-Encoding: chunked', 'Trailer: Authorization')}0\r\n${as(key)}\r\n\r\n`;

const versions: readonly BadMessage[] = [
  ...rejected(400, [
    [98, 'HTTP/0.9', `GET ${health}\r\n\r\n`],
    [98, 'HTTP/1.2', lines(`GET ${health} HTTP/1.2`, host)],
    [98, 'HTTP/2.0', lines(`GET ${health} HTTP/2.0`, host)],
    [100, 'HTTP/9.9', lines(`GET ${health} HTTP/9.9`, host)],
    [100, 'the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [100, 'a TLS handshake', Buffer.from('16030100c8010000c40303a1b2c3d4', 'hex')],
    [100, 'an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
    [100, 'a line of nonsense', '%%%%\r\n\r\n'],
    [100, 'bytes of nonsense', Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 89 + 200) % 256))],
  ]),
  ...answered(200, [[99, 'HTTP/1.0 without Host', (key) => lines(`GET ${signings} HTTP/1.0`, as(key))]], {
    closes: true,
  }),
  ...answered(200, [
    [99, 'HTTP/1.0 with keep-alive', (key) => lines(`GET ${signings} HTTP/1.0`, 'Connection: keep-alive', as(key))],
  ]),
  ...rejected(400, [[99, 'HTTP/1.0 with two Hosts', lines(`GET ${health} HTTP/1.0`, host, host)]]),
  ...answered(200, [
    [103, 'an upgrade to a web socket', (key) => good(key, 'Connection: Upgrade', 'Upgrade: websocket')],
    [103, 'an upgrade to HTTP/2', (key) => good(key, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c')],
    [
      104,
      'Accept: application/xml without any encoding',
      (key) => good(key, 'Accept: application/xml', 'Accept-Encoding: *;q=0'),
    ],
    [106, 'another origin', (key) => good(key, 'Origin: https://evil.test')],
    [110, 'empty lines first', (key) => `\r\n\r\n${good(key)}`],
  ]),
  {
    number: 107,
    what: 'half a line',
    bytes: () => 'GET /api/v1/he',
    endsInput: true,
    status: 400,
    isFormless: true,
    closes: true,
  },
];

const withAuthorization =
  (...values: readonly string[]) =>
  (key: string): string =>
    lines(`GET ${signings} HTTP/1.1`, host, ...values.map((value) => `Authorization: ${value}`.replace('KEY', key)));

const authorizations: readonly BadMessage[] = [
  ...answered(
    401,
    [
      [76, 'no key', withAuthorization()],
      [77, 'another scheme', withAuthorization('Basic KEY')],
      [77, 'the scheme alone', withAuthorization('Bearer')],
      [77, 'the scheme and a blank', withAuthorization('Bearer ')],
      [79, 'a key with a wrong check', withAuthorization('Bearer KEYx')],
      [79, 'a key that is too short', withAuthorization('Bearer aik_a_b')],
      [79, 'a key with letters outside ASCII', withAuthorization('Bearer \xe9\xff')],
      [80, 'an unknown key', withAuthorization(`Bearer ${unissuedKey}`)],
      [81, 'two authorizations', withAuthorization('Bearer KEY', 'Bearer KEY')],
      [82, 'two keys in one', withAuthorization('Bearer KEY, Bearer KEY')],
      [83, 'a key in the query', (key) => target(`${signings}?api_key=${key}`)('aik_none')],
      [83, 'a key in other headers', (key) => lines(`GET ${signings} HTTP/1.1`, host, `X-Api-Key: ${key}`)],
      [83, 'a key in a cookie', (key) => lines(`GET ${signings} HTTP/1.1`, host, `Cookie: api_key=${key}`)],
    ],
    { isFormless: true },
  ),
  ...answered(
    401,
    [
      [
        83,
        'a key in a body',
        (key) => `${lines(`GET ${signings} HTTP/1.1`, host, `Content-Length: ${key.length}`)}${key}`,
      ],
    ],
    { isFormless: true, closes: true },
  ),
  ...(['revoked', 'expired', 'suspended'] as const).flatMap((as) =>
    answered(401, [[85, `a key that is ${as}`, withAuthorization('Bearer KEY')]], { as }),
  ),
  ...answered(200, [[78, 'a scheme in small letters and two blanks', withAuthorization('bearer  KEY')]]),
];

export const badMessages: readonly BadMessage[] = [
  ...authorizations,
  ...paths,
  ...methods,
  ...hosts,
  ...heads,
  ...bodies,
  ...versions,
];
