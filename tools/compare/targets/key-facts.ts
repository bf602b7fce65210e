import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { parseJson, textAt } from '../../../src/domain/json.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import { type ComparedForm, otherForm } from '../../migration/mapping/forms.ts';
import { CaseSkipped } from '../cases/cases.ts';
import {
  type ComparisonRequest,
  itemsIn,
  type ReceivedResponse,
  type SendRequest,
  type SideResponse,
} from '../cases/send-request.ts';
import { RunEnded } from './client.ts';

const keyName = (keys: CompareKeys, form: ComparedForm): string =>
  keys[form] === undefined ? 'OVERRIDE_KEY' : `${form.toUpperCase()}_KEY`;

const messageOf = ({ text }: ReceivedResponse): string => {
  const body = parseJson(text);
  return textAt(body, 'error.message') ?? textAt(body, 'message') ?? '';
};

/**
 * The scope that a key lacks for a request: the message names it, as the variant form has no 403.
 */
const lackingScope = (reply: ReceivedResponse): Scope | undefined =>
  reply.status === 403 || reply.status === 401
    ? scopes.find((scope) => messageOf(reply).includes(scope))
    : undefined;

/** The scope that its key lacks for a side of a case. */
export const scopeLackedFor = ({ replies }: SideResponse): Scope | undefined =>
  replies.map(lackingScope).find((scope) => scope !== undefined);

const servedHeader = 'x-envelope-served';

const choosesOtherForm = (
  { form, headers }: ComparisonRequest,
  reply: ReceivedResponse,
  keys: CompareKeys,
): boolean =>
  headers['X-Envelope'] === otherForm[form] &&
  (keys[form] === undefined || reply.headers[servedHeader] === otherForm[form]);

/**
 * Asks for a path with a key, which advice calls `name`. Rejects with advice when the answer shows
 * that it cannot be used.
 */
const askFirst = async (
  send: SendRequest,
  name: string,
  request: Pick<ComparisonRequest, 'form' | 'key' | 'path'>,
) => {
  const { form, key, path } = request;
  const reply = await send({ ...request, method: 'GET', headers: {} });
  if (reply.status !== 200 && lackingScope(reply) === undefined) {
    const advice = reply.status === 401 ? ` Give a valid key of the ${form} form.` : '';
    throw new Error(
      `${name}: GET ${path} in the ${form} form was answered ${reply.status}. ${messageOf(reply)}${advice}`,
    );
  }
  const { [servedHeader]: served = form } = reply.headers;
  if (key === 'full' && served !== form) {
    const other =
      name === 'OVERRIDE_KEY' ? 'one that may choose its form' : `one of the ${form} form`;
    throw new Error(`${name} is answered in the ${served} form: give ${other}.`);
  }
  return reply;
};

/**
 * The gateway's time, an ISO 8601 instant, and its `Date`. Rejects with the status when its health
 * is not 200.
 */
export const readNow = async (send: SendRequest, form: ComparedForm) => {
  const { text, headers } = await askFirst(send, 'Without a key', {
    form,
    key: 'none',
    path: '/api/v1/health',
  });
  return { now: textAt(parseJson(text), 'generated_at') ?? '', date: headers['date'] };
};

/**
 * The first artists of a form; none when its key lacks the scope. Rejects with advice when the key
 * cannot be used.
 */
export const readArtists = async (
  send: SendRequest,
  form: ComparedForm,
  keys: CompareKeys,
  limit: number,
) => {
  const request = { form, key: 'full', path: `/api/v1/artists?limit=${limit}` } as const;
  const reply = await askFirst(send, keyName(keys, form), request);
  return itemsIn(parseJson(reply.text));
};

/**
 * Sends requests. Raises `RunEnded` when `probe` shows that a key, which was accepted at first, is
 * refused now, and not for one request only.
 */
export const endWhenRefused =
  (send: SendRequest, probe: SendRequest, keys: CompareKeys): SendRequest =>
  async (request) => {
    const reply = await send(request);
    if (reply.status === 401 && request.key === 'full' && lackingScope(reply) === undefined)
      await readArtists(probe, request.form, keys, 1).catch((cause: Error) => {
        throw new RunEnded(`A key is refused since this run began. ${cause.message}`, { cause });
      });
    return reply;
  };

/**
 * Sends requests. Raises `CaseSkipped` with the reason when a partner's own key cannot show what a
 * case is about, and `RunEnded` as `endWhenRefused` does.
 */
export const skipWhatKeysLack = (
  send: SendRequest,
  probe: SendRequest,
  keys: CompareKeys,
): SendRequest => {
  const sendOnce = endWhenRefused(send, probe, keys);
  return async (request) => {
    const reply = await sendOnce(request);
    const [name, scope] = [keyName(keys, request.form), lackingScope(reply)];
    if (scope !== undefined) throw new CaseSkipped(`they need ${scope}, which ${name} lacks`);
    if (choosesOtherForm(request, reply, keys))
      throw new CaseSkipped(`they need a key that may not choose its form, and ${name} may`);
    return reply;
  };
};
