import { STATUS_CODES } from 'node:http';
import type { Form } from '../forms/form.ts';
import { type Bytes, renderValue } from '../rendering/render-envelope.ts';
import type { HttpRejection } from './request-checks.ts';
import { commonHeaders, noStore } from './response-headers.ts';
import type { Reply } from './send.ts';

/** A reply whose body is known. */
export interface BufferedReply extends Reply {
  readonly body: Bytes;
}

/**
 * A refusal in a form's own error shape. The connection is closed: what follows on it cannot be relied on. Headers are put
 * together as in `send`, and for the same reason: who sends what is refused often sends much of it.
 */
export const rejectionReply = (
  { status, code, message }: HttpRejection,
  form: Form,
  requestId: string,
): BufferedReply => ({
  status,
  headers: Object.assign(
    commonHeaders(form, requestId),
    noStore,
    { Connection: 'close' },
    status === 405 && { Allow: 'GET' },
  ),
  body: renderValue(form.presentProblem(code, message, requestId)),
});

/** A reply of known bytes as it stands on a connection, for one that has no response object. */
export const serializeReply = ({ status, headers, body }: BufferedReply, now: number): Buffer => {
  const fields = Object.assign({}, headers, {
    Date: new Date(now).toUTCString(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
  });
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n`),
    ...body.chunks,
  ]);
};
