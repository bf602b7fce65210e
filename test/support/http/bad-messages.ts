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

const host = 'Host: gateway.test';
const get = 'GET /api/v1/health HTTP/1.1';

const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`;

/** A request for signings with a valid key and these headers. */
const ask =
  (method: string, ...headers: readonly string[]) =>
  (key: string): string =>
    lines(`${method} /api/v1/signings HTTP/1.1`, host, `Authorization: Bearer ${key}`, ...headers);
const good = (...headers: readonly string[]) => ask('GET', ...headers);
const post = (...headers: readonly string[]): string => lines('POST /api/v1/signings HTTP/1.1', host, ...headers);
const chunked = (chunks: string): string => `${post('Transfer-Encoding: chunked')}${chunks}`;
const noChunks = '0\r\n\r\n';

/** Messages that the gateway answers in the form of the key. */
const answered = (
  status: number,
  rows: readonly (readonly [number: number, what: string, bytes: (key: string) => string | Buffer])[],
  given: Partial<BadMessage> = {},
): BadMessage[] => rows.map(([number, what, bytes]) => ({ number, what, bytes, status, ...given }));

/** Messages that the parser rejects: the gateway sends the current form's error and closes the connection. */
const rejected = (
  status: number,
  rows: readonly (readonly [number: number, what: string, bytes: string | Buffer])[],
): BadMessage[] =>
  answered(
    status,
    rows.map(([number, what, bytes]) => [number, what, () => bytes]),
    { isFormless: true, closes: true },
  );

const manyHeaders = (count: number): string[] => Array.from({ length: count }, () => 'a:b');

const heads: readonly BadMessage[] = [
  ...rejected(400, [
    [66, 'a target that begins with a backslash', lines('GET \\api HTTP/1.1', host)],
    [68, 'a raw UTF-8 byte in the target', Buffer.from(lines('GET /é HTTP/1.1', host))],
    [68, 'a space in the target', lines('GET /a b HTTP/1.1', host)],
    [88, 'no Host', lines(get)],
    [89, 'two Hosts', lines(get, host, host)],
    [89, 'an empty Host', lines(get, 'Host:')],
    [89, 'a user in Host', lines(get, 'Host: evil.test:x@gateway.test')],
    [89, 'an odd port in Host', lines(get, 'Host: gateway.test:x')],
    [95, 'bare line feeds', `${get}\n${host}\n\n`],
    [95, 'a folded header', lines(get, host, 'X: a', ' b')],
    [95, 'a NUL', lines(get, host, 'X: a\0b')],
    [95, 'a header without a name', lines(get, host, ': a')],
    [98, 'HTTP/0.9', 'GET /api/v1/health\r\n\r\n'],
    [98, 'HTTP/1.2', lines('GET /api/v1/health HTTP/1.2', host)],
    [98, 'HTTP/2.0', lines('GET /api/v1/health HTTP/2.0', host)],
    [99, 'HTTP/1.0 with two Hosts', lines('GET /api/v1/health HTTP/1.0', host, host)],
    [100, 'the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [100, 'a TLS handshake', Buffer.from('16030100c8010000c40303a1b2c3d4', 'hex')],
    [100, 'an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ]),
  ...rejected(405, [
    [73, 'an unknown method', lines('FOO /api/v1/signings HTTP/1.1', host)],
    [73, 'a method in small letters', lines('get /api/v1/signings HTTP/1.1', host)],
    [74, 'CONNECT', lines('CONNECT gateway.test:443 HTTP/1.1', host)],
  ]),
  ...rejected(417, [[102, 'an unknown expectation', lines(get, host, 'Expect: foo')]]),
  ...rejected(431, [
    [92, 'a header of 9 KB', lines(get, host, `X: ${'x'.repeat(9_000)}`)],
    [92, 'a target of 17 KB', lines(`GET /${'x'.repeat(17_000)} HTTP/1.1`, host)],
    [93, '101 headers', lines(get, host, ...manyHeaders(100))],
  ]),
  ...answered(405, [
    [71, 'a CORS preflight', ask('OPTIONS', 'Origin: https://a.test', 'Access-Control-Request-Method: GET')],
  ]),
  ...answered(405, [[70, 'HEAD', ask('HEAD')]], { isHead: true }),
  ...answered(200, [
    [89, 'an IPv6 address in Host', (key) => good()(key).replace('gateway.test', '[::1]:3000')],
    [90, 'X-Forwarded-Host and X-Forwarded-For', good('X-Forwarded-Host: evil.test', 'X-Forwarded-For: ::1, x')],
    [91, 'a request id', good(`X-Request-Id: ${'x'.repeat(200)}\xe9`)],
    [93, '100 headers', good(...manyHeaders(98))],
    [94, 'a header named after a prototype', good('__proto__: x', 'constructor: x')],
    [99, 'HTTP/1.0 with keep-alive', (key) => good('Connection: keep-alive')(key).replace('1.1', '1.0')],
    [104, 'Accept: application/xml without any encoding', good('Accept: application/xml', 'Accept-Encoding: *;q=0')],
    [106, 'another origin', good('Origin: https://evil.test')],
    [110, 'empty lines first', (key) => `\r\n\r\n${good()(key)}`],
  ]),
  ...answered(
    200,
    [
      [99, 'HTTP/1.0 without Host', (key) => good()(key).replace('1.1', '1.0').replace(`${host}\r\n`, '')],
      [103, 'an upgrade to a web socket', good('Connection: Upgrade', 'Upgrade: websocket')],
    ],
    { closes: true },
  ),
];

const bodies: readonly BadMessage[] = [
  ...answered(
    200,
    [
      [101, 'GET with a body', (key) => `${good('Content-Length: 5')(key)}hello`],
      [101, 'GET with chunks', (key) => `${good('Transfer-Encoding: chunked')(key)}5\r\nhello\r\n${noChunks}`],
      [
        102,
        'a body with Expect: 100-continue',
        (key) => `${good('Content-Length: 5', 'Expect: 100-continue')(key)}hello`,
      ],
    ],
    { closes: true },
  ),
  ...answered(405, [[69, 'POST with a body', (key) => `${ask('POST', 'Content-Length: 2')(key)}{}`]], { closes: true }),
  ...answered(
    401,
    [
      [83, 'a key in a body', (key) => `${post(`Content-Length: ${key.length}`).replace('POST', 'GET')}${key}`],
      [
        84,
        'a key in a trailer',
        (key) =>
          `${post('Transfer-Encoding: chunked', 'Trailer: Authorization').replace('POST', 'GET')}0\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      ],
    ],
    { isFormless: true, closes: true },
  ),
  ...rejected(400, [
    [97, 'a bad chunk size', chunked('zz\r\n')],
    [97, 'a chunk extension of 20 KB', chunked(`1;${'x'.repeat(20_000)}\r\n`)],
  ]),
];

/**
 * Messages whose end two HTTP parsers might see at different positions, so that one's body is the other's next request
 * (request smuggling). 405 where RFC 9112 leaves no doubt about the end, and only a careless parser would be misled.
 */
const smuggled: readonly BadMessage[] = [
  ...rejected(400, [
    [96, 'a length and chunks', post('Content-Length: 5', 'Transfer-Encoding: chunked') + noChunks],
    [96, 'chunks and a length', post('Transfer-Encoding: chunked', 'Content-Length: 5') + noChunks],
    [96, 'two lengths', `${post('Content-Length: 5', 'Content-Length: 5')}hello`],
    [96, 'a list of lengths', `${post('Content-Length: 5, 5')}hello`],
    [96, 'a length with a sign', `${post('Content-Length: +1')}a`],
    [96, 'a huge length', `${post('Content-Length: 99999999999999999999')}a`],
    [96, 'an unknown encoding', `${post('Transfer-Encoding: xchunked')}a`],
    [96, 'chunked before identity', `${post('Transfer-Encoding: chunked, identity')}a`],
    [96, 'chunks in chunks', post('Transfer-Encoding: chunked, chunked') + noChunks],
    [96, 'a blank before the colon', post('Transfer-Encoding : chunked') + noChunks],
    [96, 'an encoding behind a bare line feed', post('X: a\nTransfer-Encoding: chunked') + noChunks],
    [96, 'a hexadecimal prefix of a chunk size', chunked(`0x5\r\nhello\r\n${noChunks}`)],
    [96, 'a chunk size of more than 64 bits', chunked(`ffffffffffffffff5\r\nhello\r\n${noChunks}`)],
    [96, 'a bare line feed behind a chunk size', chunked(`5\nhello\r\n${noChunks}`)],
    [96, 'a line feed in a chunk extension', chunked(`5;a\nb\r\nhello\r\n${noChunks}`)],
    [96, 'a head that ends in one bare line feed', post('Content-Length: 0').replace(/\r\n$/, '\n')],
    [96, 'a blank before the first header', lines('POST /api/v1/signings HTTP/1.1', ` ${host}`)],
  ]),
  ...rejected(405, [
    [96, 'chunks around gzip', post('Transfer-Encoding: gzip, chunked') + noChunks],
    [96, 'capitals in the encoding', post('Transfer-Encoding: ChUnKeD') + noChunks],
    [96, 'a chunk longer than its size', chunked(`5\r\nhelloXX${noChunks}`)],
    [96, 'well-formed chunks', chunked(`5\r\nhello\r\n${noChunks}`)],
  ]),
];

export const badMessages: readonly BadMessage[] = [...heads, ...bodies, ...smuggled];
