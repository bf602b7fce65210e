import { STATUS_CODES } from 'node:http';
import type { Form } from '../forms/form.ts';
import { type Bytes, renderValue } from '../rendering/body.ts';
import type { HttpRejection } from './request-checks.ts';
import { commonHeaders, noStore } from './response-headers.ts';
import type { Reply } from './send.ts';

/** A reply whose body is in memory. */
interface BufferedReply extends Reply {
  readonly body: Bytes;
}

/**
 * Renders a rejection in a form's error shape. It closes the connection, because input after a
 * malformed request cannot be trusted.
 */
export const rejectionReply = (
  { status, code, message }: HttpRejection,
  form: Form,
  requestId: string,
): BufferedReply => ({
  status,
  headers: {
    ...commonHeaders(form, requestId),
    ...noStore,
    Connection: 'close',
    ...(status === 405 && { Allow: 'GET' }),
  },
  body: renderValue(form.presentProblem(code, message, requestId)),
});

/**
 * Serialises a reply to the bytes of an HTTP/1.1 response, for sockets without a response object.
 * `now` is in epoch milliseconds.
 */
export const serializeReply = ({ status, headers, body }: BufferedReply, now: number): Buffer => {
  const type = 'application/json; charset=utf-8';
  const length = String(body.length);
  const fields = {
    ...headers,
    Date: new Date(now).toUTCString(),
    'Content-Type': type,
    'Content-Length': length,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n`),
    ...body.chunks,
  ]);
};
