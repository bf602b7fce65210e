import { type BadMessage, host, lines } from './bad-messages.ts';

const post = (...headers: readonly string[]): string => lines('POST /api/v1/signings HTTP/1.1', host, ...headers);
const chunked = (chunks: string): string => `${post('Transfer-Encoding: chunked')}${chunks}`;
const noChunks = '0\r\n\r\n';

/** 405 where RFC 9112 leaves no doubt about the end, and only a careless parser would be misled. */
const rows = (status: 400 | 405, all: readonly (readonly [what: string, bytes: string])[]): BadMessage[] =>
  all.map(([what, bytes]) => ({ number: 96, what, bytes: () => bytes, status, isFormless: true, closes: true }));

const lengths = rows(400, [
  ['two lengths that differ', `${post('Content-Length: 5', 'Content-Length: 6')}hello`],
  ['a list of lengths', `${post('Content-Length: 5, 5')}hello`],
  ['an empty length', post('Content-Length:')],
  ['a length and chunks', post('Content-Length: 5', 'Transfer-Encoding: chunked') + noChunks],
  ['chunks and a length', post('Transfer-Encoding: chunked', 'Content-Length: 5') + noChunks],
]);

const encodings = [
  ...rows(400, [
    ['chunks in chunks', post('Transfer-Encoding: chunked, chunked') + noChunks],
    ['chunks and then none', post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + noChunks],
    ['a vertical tab before the encoding', post('Transfer-Encoding: \x0bchunked') + noChunks],
    ['an encoding behind a bare line feed', post('X: a\nTransfer-Encoding: chunked') + noChunks],
  ]),
  ...rows(405, [
    ['none and then chunks', post('Transfer-Encoding: identity', 'Transfer-Encoding: chunked') + noChunks],
    ['chunks around gzip', post('Transfer-Encoding: gzip, chunked') + noChunks],
    ['capitals in the encoding', post('Transfer-Encoding: ChUnKeD') + noChunks],
    [
      'chunks in HTTP/1.0',
      lines('POST /api/v1/signings HTTP/1.0', host, 'Connection: keep-alive', 'Transfer-Encoding: chunked') + noChunks,
    ],
  ]),
  // The parser of Node 20 reads it as no encoding; from Node 22 on it is refused.
  ...rows(process.version.startsWith('v20.') ? 405 : 400, [
    ['an empty encoding', post('Transfer-Encoding:') + noChunks],
  ]),
];

const sizes = [
  ...rows(400, [
    ['a hexadecimal prefix of a chunk size', chunked(`0x5\r\nhello\r\n${noChunks}`)],
    ['a chunk size of more than 64 bits', chunked(`ffffffffffffffff5\r\nhello\r\n${noChunks}`)],
    ['a bare line feed behind a chunk size', chunked(`5\nhello\r\n${noChunks}`)],
    ['a blank behind a chunk size', chunked(`5 \r\nhello\r\n${noChunks}`)],
    ['a line feed in a chunk extension', chunked(`5;a\nb\r\nhello\r\n${noChunks}`)],
  ]),
  ...rows(405, [
    ['a chunk longer than its size', chunked(`5\r\nhelloXX${noChunks}`)],
    ['well-formed chunks', chunked(`5\r\nhello\r\n${noChunks}`)],
  ]),
];

const heads = rows(400, [
  ['a head that ends in one bare line feed', post('Content-Length: 0').replace(/\r\n$/, '\n')],
  ['a blank before the first header', lines('POST /api/v1/signings HTTP/1.1', ` ${host}`)],
  ['a header without a colon', post('Content-Length')],
  ['a name with a parenthesis', post('Content(Length: 5')],
  ['a vertical tab in a value', post('X: a\x0bb')],
  ['a blank behind the version', lines('POST /api/v1/signings HTTP/1.1 ', host)],
  ['tabs in the request line', lines('POST\t/api/v1/signings\tHTTP/1.1', host)],
  ['a version in small letters', lines('POST /api/v1/signings http/1.1', host)],
]);

/**
 * Messages whose end two HTTP parsers might see at different positions, so that one's body is the other's next request
 * (request smuggling).
 */
export const smuggledRequests: readonly BadMessage[] = [...lengths, ...encodings, ...sizes, ...heads];
