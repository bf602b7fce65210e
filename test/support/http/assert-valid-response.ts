import { expect } from 'chai';
import { splitTarget } from '../../../adapters/http/request-target.ts';
import { type ComparedForm, comparedForms } from '../../../tools/migration/mapping/forms.ts';
import { expectContract } from '../contract.ts';
import { requestId } from '../exchanges.ts';
import { formExpectations } from '../forms/form-expectations.ts';
import type { WireReply } from '../wire.ts';

/**
 * Statuses of requests that the gateway rejects before it knows the form; they are outside both
 * forms' tables.
 */
const formlessStatuses = [400, 405, 408, 417, 431];

const servedForm = ({ headers }: WireReply): ComparedForm => {
  const served = comparedForms.find((name) => name === headers['x-envelope-served']);
  if (served === undefined) throw new Error(`X-Envelope-Served is ${headers['x-envelope-served']}`);
  return served;
};

const assertHeaders = (reply: WireReply): void => {
  const { status, headers } = reply;
  expect(headers['x-request-id']).to.match(requestId);
  expect(headers['x-content-type-options']).to.equal('nosniff');
  expect(Object.keys(headers).join()).not.to.match(
    /server|powered|cookie|access-control|stack|via/,
  );
  expect(Object.values(headers).join()).not.to.include('\n');
  expect(headers['content-type']).to.equal(
    [302, 304].includes(status) ? undefined : 'application/json; charset=utf-8',
  );
  expect(headers['www-authenticate']).to.equal(status === 401 ? 'Bearer' : undefined);
  // HEAD: at pages
  expect(headers['allow'] ?? '').to.match(status === 405 ? /^GET(, HEAD)?$/ : /^$/);
  if (status === 429 || status >= 500) expect(headers['retry-after']).to.match(/^[1-9][0-9]*$/);
  if (status >= 400) expect(headers['cache-control']).to.equal('no-store');
};

const assertError = (reply: WireReply, served: ComparedForm): void => {
  const { code, message } = formExpectations[served].readError(reply.text);
  expect(code).to.match(/^[a-z_]+$/);
  expect(message).not.to.match(/aik_|Bearer [^<]|\bat .*\.[jt]s\b|node_modules/);
  if (served === 'current')
    expect(reply.text).to.include(`"request_id":"${reply.headers['x-request-id']}"`);
};

/**
 * Asserts what holds for every response: its status is in the form's closed table (or in
 * `formlessStatuses`, in the current form), it satisfies the form's contract, and it has the common
 * headers and none that identifies the server.
 *
 * @param target the request target; `undefined` when a test does not know how the gateway parsed it
 */
export const assertValidResponse = (
  reply: WireReply,
  target: string | undefined,
  isHead = false,
): void => {
  const served = servedForm(reply);
  assertHeaders(reply);
  if (reply.status === 302) {
    expect([reply.headers['location'], reply.text]).to.deep.equal(['docs', '']);
    expect(splitTarget(target ?? '/').path).to.match(/^\/?$/);
    return;
  }
  const isInTable = formExpectations[served].statuses.includes(reply.status);
  const isRefused = served === 'current' && formlessStatuses.includes(reply.status);
  expect(isInTable || isRefused, `${reply.status} is in the table of the ${served} form`).to.equal(
    true,
  );
  if (isHead || reply.status === 304) expect(reply.text).to.equal('');
  else if (reply.status >= 400) assertError(reply, served);
  else if (target !== undefined) expectContract(target, reply);
};
