/**
 * Malformed and hostile messages, byte for byte. The numbers are those of the specification's catalogue of bad inputs;
 * its decisions take precedence where the two differ.
 */
export interface BadMessage {
  readonly number: number;
  readonly what: string;
  /** The message, for a key of the form. */
  readonly bytes: (key: string) => string | Buffer;
  readonly status: number;
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
  status: number,
  rows: readonly (readonly [number: number, what: string, say: (key: string) => string])[],
  given: Partial<BadMessage> = {},
): BadMessage[] => rows.map(([number, what, bytes]) => ({ number, what, bytes, status, ...given }));

const method =
  (name: string, ...headers: readonly string[]) =>
  (key: string) =>
    lines(`${name} ${signings} HTTP/1.1`, host, as(key), ...headers);
const post = (...headers: readonly string[]) => lines(`POST ${signings} HTTP/1.1`, host, ...headers);

const targets: readonly BadMessage[] = [
  ...rejected(400, [
    [66, 'a target that begins with a backslash', lines('GET \\api HTTP/1.1', host)],
    [68, 'a raw UTF-8 byte in the target', Buffer.from(lines('GET /é HTTP/1.1', host))],
    [68, 'a space in the target', lines('GET /a b HTTP/1.1', host)],
    [68, 'an empty target', lines('GET  HTTP/1.1', host)],
  ]),
];

const methods: readonly BadMessage[] = [
  ...answered(405, [
    [71, 'a CORS preflight', method('OPTIONS', 'Origin: https://a.test', 'Access-Control-Request-Method: GET')],
  ]),
  ...answered(405, [[69, 'POST with a body', method('POST', 'Content-Length: 2', '', '{}')]], {
    closes: true,
  }),
  ...answered(405, [[70, 'HEAD', method('HEAD')]], { isHead: true }),
  ...rejected(405, [
    [73, 'an unknown method', lines(`FOO ${signings} HTTP/1.1`, host)],
    [73, 'a method in small letters', lines(`get ${signings} HTTP/1.1`, host)],
    [74, 'CONNECT', lines('CONNECT gateway.test:443 HTTP/1.1', host)],
  ]),
];

const hosts: readonly BadMessage[] = [
  ...rejected(400, [
    [88, 'no Host', lines(`GET ${health} HTTP/1.1`)],
    [89, 'two Hosts', lines(`GET ${health} HTTP/1.1`, host, host)],
    [89, 'an empty Host', lines(`GET ${health} HTTP/1.1`, 'Host:')],
    [89, 'a user in Host', lines(`GET ${health} HTTP/1.1`, 'Host: evil.test:x@gateway.test')],
    [89, 'an odd port in Host', lines(`GET ${health} HTTP/1.1`, 'Host: gateway.test:x')],
  ]),
  ...answered(200, [
    [89, 'an IPv6 address in Host', (key) => good(key).replace('gateway.test', '[::1]:3000')],
    [
      90,
      'X-Forwarded-Host and X-Forwarded-For',
      (key) => good(key, 'X-Forwarded-Host: evil.test', 'X-Forwarded-For: ::1, x'),
    ],
    [91, 'a request id', (key) => good(key, `X-Request-Id: ${'x'.repeat(200)}\xe9`)],
  ]),
];

const manyHeaders = (count: number): string[] => Array.from({ length: count }, () => 'a:b');

const heads: readonly BadMessage[] = [
  ...rejected(431, [
    [92, 'a header of 9 KB', lines(`GET ${health} HTTP/1.1`, host, `X: ${'x'.repeat(9_000)}`)],
    [92, 'a target of 17 KB', lines(`GET /${'x'.repeat(17_000)} HTTP/1.1`, host)],
    [93, '101 headers', lines(`GET ${health} HTTP/1.1`, host, ...manyHeaders(100))],
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
      [101, 'GET with chunks', (key) => `${good(key, 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`],
      [
        102,
        'a body with Expect: 100-continue',
        (key) => `${good(key, 'Content-Length: 5', 'Expect: 100-continue')}hello`,
      ],
    ],
    { closes: true },
  ),
  ...answered(
    401,
    [
      [
        83,
        'a key in a body',
        (key) => `${lines(`GET ${signings} HTTP/1.1`, host, `Content-Length: ${key.length}`)}${key}`,
      ],
      [84, 'a key in a trailer', (key) => trailed(key)],
    ],
    { isFormless: true, closes: true },
  ),
  ...rejected(417, [[102, 'an unknown expectation', lines(`GET ${health} HTTP/1.1`, host, 'Expect: foo')]]),
];

const trailed = (key: string): string =>
  `${lines(`GET ${signings} HTTP/1.1`, host, 'Transfer-Encoding: chunked', 'Trailer: Authorization')}0\r\n${as(key)}\r\n\r\n`;

const versions: readonly BadMessage[] = [
  ...rejected(400, [
    [98, 'HTTP/0.9', `GET ${health}\r\n\r\n`],
    [98, 'HTTP/1.2', lines(`GET ${health} HTTP/1.2`, host)],
    [98, 'HTTP/2.0', lines(`GET ${health} HTTP/2.0`, host)],
    [100, 'the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [100, 'a TLS handshake', Buffer.from('16030100c8010000c40303a1b2c3d4', 'hex')],
    [100, 'an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
    [100, 'bytes of nonsense', Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 89 + 200) % 256))],
  ]),
  ...answered(
    200,
    [
      [99, 'HTTP/1.0 without Host', (key) => lines(`GET ${signings} HTTP/1.0`, as(key))],
      [103, 'an upgrade to a web socket', (key) => good(key, 'Connection: Upgrade', 'Upgrade: websocket')],
      [103, 'an upgrade to HTTP/2', (key) => good(key, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c')],
    ],
    { closes: true },
  ),
  ...answered(200, [
    [99, 'HTTP/1.0 with keep-alive', (key) => lines(`GET ${signings} HTTP/1.0`, 'Connection: keep-alive', as(key))],
  ]),
  ...rejected(400, [[99, 'HTTP/1.0 with two Hosts', lines(`GET ${health} HTTP/1.0`, host, host)]]),
  ...answered(200, [
    [
      104,
      'Accept: application/xml without any encoding',
      (key) => good(key, 'Accept: application/xml', 'Accept-Encoding: *;q=0'),
    ],
    [106, 'another origin', (key) => good(key, 'Origin: https://evil.test')],
    [110, 'empty lines first', (key) => `\r\n\r\n${good(key)}`],
  ]),
];

export const badMessages: readonly BadMessage[] = [...targets, ...methods, ...hosts, ...heads, ...bodies, ...versions];
