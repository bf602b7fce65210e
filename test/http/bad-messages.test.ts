import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText } from '../support/wire.ts';

/** A malformed or hostile message. */
interface BadMessage {
  readonly what: string;
  /** The message, for a key of the form. */
  readonly bytes: (key: string) => string | Buffer;
  readonly status: number;
  /** True if the gateway rejects it before it knows the form. It then uses the current form. */
  readonly isFormless?: boolean;
  /** True if the connection is closed after the response. */
  readonly closes?: boolean;
  readonly isHead?: boolean;
  /** True if a careless parser might find a second request after it. */
  readonly hidesRequest?: boolean;
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
const post = (...headers: readonly string[]): string =>
  lines('POST /api/v1/signings HTTP/1.1', host, ...headers);
const chunked = (chunks: string): string => `${post('Transfer-Encoding: chunked')}${chunks}`;
const noChunks = '0\r\n\r\n';

/** Messages that the gateway answers in the form of the key. */
const answered = (
  status: number,
  rows: readonly (readonly [what: string, bytes: (key: string) => string | Buffer])[],
  given: Partial<BadMessage> = {},
): BadMessage[] => rows.map(([what, bytes]) => ({ what, bytes, status, ...given }));

/**
 * Messages that the parser rejects: the gateway sends the current form's error and closes the
 * connection.
 */
const rejected = (
  status: number,
  rows: readonly (readonly [what: string, bytes: string | Buffer])[],
): BadMessage[] =>
  answered(
    status,
    rows.map(([what, bytes]) => [what, () => bytes]),
    { isFormless: true, closes: true },
  );

const manyHeaders = (count: number): string[] => Array.from({ length: count }, () => 'a:b');

const heads: readonly BadMessage[] = [
  ...rejected(400, [
    ['a raw UTF-8 byte in the target', Buffer.from(lines('GET /é HTTP/1.1', host))],
    ['no Host', lines(get)],
    ['two Hosts', lines(get, host, host)],
    ['an empty Host', lines(get, 'Host:')],
    ['a user in Host', lines(get, 'Host: evil.test:x@gateway.test')],
    ['an odd port in Host', lines(get, 'Host: gateway.test:x')],
    ['bare line feeds', `${get}\n${host}\n\n`],
    ['a folded header', lines(get, host, 'X: a', ' b')],
    ['a NUL', lines(get, host, 'X: a\0b')],
    ['HTTP/1.2', lines('GET /api/v1/health HTTP/1.2', host)],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303a1b2c3d4', 'hex')],
  ]),
  ...rejected(405, [
    ['an unknown method', lines('FOO /api/v1/signings HTTP/1.1', host)],
    ['CONNECT', lines('CONNECT gateway.test:443 HTTP/1.1', host)],
  ]),
  ...rejected(417, [['an unknown expectation', lines(get, host, 'Expect: foo')]]),
  ...rejected(431, [
    ['a header of 17 KB', lines(get, host, `X: ${'x'.repeat(17_000)}`)],
    ['a target of 17 KB', lines(`GET /${'x'.repeat(17_000)} HTTP/1.1`, host)],
    ['101 headers', lines(get, host, ...manyHeaders(100))],
  ]),
  ...answered(405, [
    [
      'a CORS preflight',
      ask('OPTIONS', 'Origin: https://a.test', 'Access-Control-Request-Method: GET'),
    ],
  ]),
  ...answered(405, [['HEAD', ask('HEAD')]], { isHead: true }),
  ...answered(200, [
    ['an IPv6 address in Host', (key) => good()(key).replace('gateway.test', '[::1]:3000')],
    ['a request id', good(`X-Request-Id: ${'x'.repeat(200)}\xe9`)],
    ['100 headers', good(...manyHeaders(98))],
    ['a header named after a prototype', good('__proto__: x', 'constructor: x')],
    [
      'HTTP/1.0 with keep-alive',
      (key) => good('Connection: keep-alive')(key).replace('1.1', '1.0'),
    ],
  ]),
  ...answered(
    200,
    [
      [
        'HTTP/1.0 without Host',
        (key) => good()(key).replace('1.1', '1.0').replace(`${host}\r\n`, ''),
      ],
      ['an upgrade to a web socket', good('Connection: Upgrade', 'Upgrade: websocket')],
    ],
    { closes: true },
  ),
];

const bodies: readonly BadMessage[] = [
  ...answered(
    200,
    [
      ['GET with a body', (key) => `${good('Content-Length: 5')(key)}hello`],
      [
        'GET with chunks',
        (key) => `${good('Transfer-Encoding: chunked')(key)}5\r\nhello\r\n${noChunks}`,
      ],
      [
        'a body with Expect: 100-continue',
        (key) => `${good('Content-Length: 5', 'Expect: 100-continue')(key)}hello`,
      ],
    ],
    { closes: true },
  ),
  ...answered(405, [['POST with a body', (key) => `${ask('POST', 'Content-Length: 2')(key)}{}`]], {
    closes: true,
  }),
  ...answered(
    401,
    [
      [
        'a key in a body',
        (key) => `${post(`Content-Length: ${key.length}`).replace('POST', 'GET')}${key}`,
      ],
      [
        'a key in a trailer',
        (key) =>
          `${post('Transfer-Encoding: chunked', 'Trailer: Authorization').replace('POST', 'GET')}0\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      ],
    ],
    { isFormless: true, closes: true },
  ),
  ...rejected(400, [
    ['a bad chunk size', chunked('zz\r\n')],
    ['a chunk extension of 20 KB', chunked(`1;${'x'.repeat(20_000)}\r\n`)],
  ]),
];

/**
 * Messages whose end two HTTP parsers might see at different positions, so that one's body is the
 * other's next request (request smuggling). 405 where RFC 9112 leaves no doubt about the end, and
 * only a careless parser would be misled.
 */
const smuggled: readonly BadMessage[] = [
  ...rejected(400, [
    ['a length and chunks', post('Content-Length: 5', 'Transfer-Encoding: chunked') + noChunks],
    ['two lengths', `${post('Content-Length: 5', 'Content-Length: 5')}hello`],
    ['a huge length', `${post('Content-Length: 99999999999999999999')}a`],
    ['an unknown encoding', `${post('Transfer-Encoding: xchunked')}a`],
    ['chunked before identity', `${post('Transfer-Encoding: chunked, identity')}a`],
    ['a blank before the colon', post('Transfer-Encoding : chunked') + noChunks],
    ['an encoding behind a bare line feed', post('X: a\nTransfer-Encoding: chunked') + noChunks],
    ['a hexadecimal prefix of a chunk size', chunked(`0x5\r\nhello\r\n${noChunks}`)],
    ['a bare line feed behind a chunk size', chunked(`5\nhello\r\n${noChunks}`)],
    ['a line feed in a chunk extension', chunked(`5;a\nb\r\nhello\r\n${noChunks}`)],
    ['a head that ends in one bare line feed', post('Content-Length: 0').replace(/\r\n$/, '\n')],
  ]),
  ...rejected(405, [
    ['chunks around gzip', post('Transfer-Encoding: gzip, chunked') + noChunks],
    ['a chunk longer than its size', chunked(`5\r\nhelloXX${noChunks}`)],
    ['well-formed chunks', chunked(`5\r\nhello\r\n${noChunks}`)],
  ]),
];

const badMessages: readonly BadMessage[] = [
  ...heads,
  ...bodies,
  ...smuggled.map((row) => ({ ...row, hidesRequest: true })),
];

describe('bad messages', () => {
  const gateway = useGateway();

  for (const row of badMessages) {
    // the form does not matter to the parser
    for (const { name: form } of row.isFormless ? [forms[0]] : forms) {
      const end = `${row.hidesRequest ? ', not the request behind it,' : ''}${row.closes ? ' and closes the connection' : ''}`;
      it(`answers ${row.what} with ${row.status}${end}, for a key of the ${form} form`, async () => {
        const { entries } = gateway.log;
        const before = entries.length;
        const bytes = row.bytes(keys[form].full.text);
        const wire = openWire(gateway.port);
        const behind = row.closes && !row.hidesRequest ? '' : requestText('/api/v1/health');
        wire.send(Buffer.concat([Buffer.from(bytes), Buffer.from(behind)]));
        const isHead = row.isHead === true;
        const reply = await wire.receive({ bodiless: isHead });
        assertValidResponse(reply, bytes.toString().trimStart().split(' ', 2)[1] ?? '', isHead);
        expect(reply.status).to.equal(row.status);
        expect(reply.headers['x-envelope-served']).to.equal(row.isFormless ? 'current' : form);
        expect(reply.headers['connection']).to.equal(row.closes ? 'close' : 'keep-alive');
        if (row.closes) await wire.closed();
        else expect((await wire.receive()).status).to.equal(200);
        wire.end();
        const requests = Array(row.closes ? 1 : 2).fill('request');
        await until('both are logged', () => entries.length >= before + requests.length);
        const logged = entries.slice(before);
        expect(logged.map(({ event }) => event)).to.deep.equal(requests);
        expect(JSON.stringify(logged)).not.to.match(/aik_|Bearer|evil/);
      });
    }
  }
});
