import type { IncomingMessage } from 'node:http';
import { maxQueryBytes } from './request-target.ts';

/**
 * The response to a request that Node's HTTP parser or `checkRequest` rejects before a form is
 * chosen. The tables and contracts of the forms do not include it (decisions, "Errors").
 */
export interface HttpRejection {
  readonly status: 400 | 405 | 408 | 417 | 431;
  readonly code: string;
  readonly message: string;
}

/** Header fields per request. */
export const maxHeaders = 100;

export const httpRejections = {
  malformed: { status: 400, code: 'bad_request', message: 'The request is not valid HTTP/1.1.' },
  host: {
    status: 400,
    code: 'bad_request',
    message: 'The request must have one valid Host header.',
  },
  version: {
    status: 400,
    code: 'bad_request',
    message: 'Only HTTP/1.1 and HTTP/1.0 are supported.',
  },
  method: { status: 405, code: 'method_not_allowed', message: 'Only GET is supported.' },
  slow: { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' },
  expectation: {
    status: 417,
    code: 'expectation_failed',
    message: 'What the request expects is not supported.',
  },
  headers: {
    status: 431,
    code: 'request_header_fields_too_large',
    message: 'The request line and the headers are too large or too many.',
  },
  query: {
    status: 431,
    code: 'request_header_fields_too_large',
    message: `The query is longer than ${maxQueryBytes} bytes.`,
  },
} as const satisfies Record<string, HttpRejection>;

/**
 * Returns how many times a header was sent; `name` in lower case. Node's `headers` keeps only the
 * first value of some repeated headers.
 */
export const timesSent = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let times = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index];
    if (sent?.length === name.length && sent.toLowerCase() === name) times += 1;
  }
  return times;
};

/**
 * A name, an IPv4 address or a bracketed IPv6 address, with an optional port (RFC 9110, section
 * 7.2).
 */
const host = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/;

const hasUsableHost = (request: IncomingMessage): boolean => {
  const times = timesSent(request, 'host');
  if (times === 0) return request.httpVersion === '1.0';
  return times === 1 && host.test(request.headers.host ?? '');
};

/**
 * Checks what Node's parser does not: version, number of headers, Host, Expect. Returns `undefined`
 * for a valid request.
 */
export const checkRequest = (request: IncomingMessage): HttpRejection | undefined => {
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') return httpRejections.version;
  if (request.rawHeaders.length / 2 > maxHeaders) return httpRejections.headers;
  if (!hasUsableHost(request)) return httpRejections.host;
  const { expect } = request.headers;
  return expect === undefined || expect.toLowerCase() === '100-continue'
    ? undefined
    : httpRejections.expectation;
};

/** True if a request announces a body. Bodies are never read. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** An error of Node's HTTP parser; `rawPacket` and `bytesParsed` are set for malformed bytes. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** True if the rejected line begins like a request line, so that only its method is unknown. */
const beginsWithMethod = ({ rawPacket, bytesParsed = 0 }: ParserError): boolean => {
  const text = rawPacket?.toString('latin1') ?? '';
  const start = text.lastIndexOf('\n', bytesParsed - 1) + 1;
  return /^[A-Za-z][A-Za-z-]* /.test(text.slice(start, start + 64));
};

/** The rejection for a parser error; `undefined` if the client has disconnected. */
export const rejectionOf = (error: ParserError): HttpRejection | undefined => {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpRejections.slow;
    case 'HPE_HEADER_OVERFLOW':
      return httpRejections.headers;
    case 'HPE_INVALID_METHOD':
      return beginsWithMethod(error) ? httpRejections.method : httpRejections.malformed;
    default:
      return httpRejections.malformed;
  }
};

/**
 * `traceparent` with its version and trace id, and the fields that versions after 00 can append.
 */
const traceParent =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * The trace id of a well-formed `traceparent` (W3C Trace Context, section 3.2.2), for the log only:
 * never a response header, never a metrics label. `undefined` for anything else, even a repeated
 * header.
 */
export const traceIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
  const { traceparent } = headers;
  const [, version, traceId, rest] = traceParent.exec(String(traceparent)) ?? [];
  return version === '00' && rest !== undefined ? undefined : traceId;
};
