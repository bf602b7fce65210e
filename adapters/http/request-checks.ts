import type { IncomingMessage } from 'node:http';
import type { Target } from './request-target.ts';

/**
 * What is refused before there is a form to answer in: by the HTTP parser, or by the few checks that it leaves to us.
 * Outside the tables and contracts of both forms (decisions, "Errors").
 */
export interface HttpRejection {
  readonly status: 400 | 405 | 408 | 417 | 431;
  readonly code: string;
  readonly message: string;
}

/** The longest query in bytes; what is longer is refused before anybody parses it. */
export const maxQueryBytes = 2048;

export const isTooLong = ({ query }: Target): boolean => query.length > maxQueryBytes;

/** The most header fields a request may have. */
export const maxHeaders = 100;

export const httpRejections = {
  malformed: { status: 400, code: 'bad_request', message: 'The request is not valid HTTP/1.1.' },
  host: { status: 400, code: 'bad_request', message: 'The request must have one valid Host header.' },
  version: { status: 400, code: 'bad_request', message: 'Only HTTP/1.1 and HTTP/1.0 are supported.' },
  method: { status: 405, code: 'method_not_allowed', message: 'Only GET is supported.' },
  slow: { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' },
  expectation: { status: 417, code: 'expectation_failed', message: 'What the request expects is not supported.' },
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

/** How often a header was sent, its name in lower case: of those that make sense once, Node itself keeps the first. */
export const timesSent = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let times = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const sent = rawHeaders[place];
    if (sent?.length === name.length && sent.toLowerCase() === name) times += 1;
  }
  return times;
};

/** A name, an IPv4 address or a bracketed IPv6 address, and perhaps a port (RFC 9110, 7.2). */
const host = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/;

const hasUsableHost = (request: IncomingMessage): boolean => {
  const times = timesSent(request, 'host');
  if (times === 0) return request.httpVersion === '1.0';
  return times === 1 && host.test(request.headers.host ?? '');
};

/** Why a request that could be parsed is refused all the same, before any form sees it. */
export const checkRequest = (request: IncomingMessage, target: Target): HttpRejection | undefined => {
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') return httpRejections.version;
  if (request.rawHeaders.length / 2 > maxHeaders) return httpRejections.headers;
  if (!hasUsableHost(request)) return httpRejections.host;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return httpRejections.expectation;
  return isTooLong(target) ? httpRejections.query : undefined;
};

/** Whether a request says that a body follows. It is never read: nothing here takes one. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** What the HTTP parser reports; the packet is there when a byte of it was the reason. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

/** Whether the line that was refused begins like a request line, so that it is its method that nobody knows. */
const beginsWithMethod = ({ rawPacket, bytesParsed = 0 }: ParserError): boolean => {
  const text = rawPacket?.toString('latin1') ?? '';
  const start = text.lastIndexOf('\n', bytesParsed - 1) + 1;
  return /^[A-Za-z][A-Za-z-]* /.test(text.slice(start, start + 64));
};

/** How a refusal of the parser is answered; `undefined` when there is nobody left to answer. */
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
