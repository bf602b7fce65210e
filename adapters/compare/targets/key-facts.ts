import { type ComparedForm, otherForm } from '../../../src/crosswalk/forms.ts';
import { parseJson, textAt } from '../../../src/crosswalk/json.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import type { ComparisonRequest, ReceivedResponse, SendRequest } from '../cases/send-request.ts';
import { CaseSkipped } from '../run.ts';

/** The environment variable of the key that is used for a form. */
export const keyName = (keys: CompareKeys, form: ComparedForm): string =>
  keys[form] === undefined ? 'OVERRIDE_KEY' : `${form.toUpperCase()}_KEY`;

const messageOf = ({ text }: ReceivedResponse): string => {
  const body = parseJson(text);
  return textAt(body, 'error.message') ?? textAt(body, 'message') ?? '';
};

/** The scope that a key lacks for a request: the message names it, as the variant form has no 403. */
const lackingScope = (reply: ReceivedResponse): Scope | undefined =>
  reply.status === 403 || reply.status === 401 ? scopes.find((scope) => messageOf(reply).includes(scope)) : undefined;

const servedHeader = 'x-envelope-served';

/** Whether a request names another form, and the key may choose it. */
const choosesOtherForm = ({ form, headers }: ComparisonRequest, reply: ReceivedResponse, keys: CompareKeys): boolean =>
  headers['X-Envelope'] === otherForm[form] &&
  (keys[form] === undefined || reply.headers[servedHeader] === otherForm[form]);

/** Sends requests. Raises `CaseSkipped` with the reason when a partner's own key cannot show what a case is about. */
export const skipWhatKeysLack =
  (send: SendRequest, keys: CompareKeys): SendRequest =>
  async (request) => {
    const reply = await send(request);
    const [name, scope] = [keyName(keys, request.form), lackingScope(reply)];
    if (scope !== undefined) throw new CaseSkipped(`they need ${scope}, which ${name} lacks`);
    if (choosesOtherForm(request, reply, keys))
      throw new CaseSkipped(`they need a key that may not choose its form, and ${name} may`);
    return reply;
  };

/**
 * Checks that the first answer to a key is one of its form; returns whether it has its items, which a key without `artists:read`
 * does not get. Raises an `Error` that says which key to give.
 */
export const checkFirstReply = (reply: ReceivedResponse, form: ComparedForm, name: string, path: string): boolean => {
  const lacks = lackingScope(reply) !== undefined;
  if (reply.status !== 200 && !lacks) {
    const advice = reply.status === 401 ? ` Give a valid key of the ${form} form.` : '';
    throw new Error(
      `${name}: GET ${path} in the ${form} form was answered ${reply.status}. ${messageOf(reply)}${advice}`,
    );
  }
  const { [servedHeader]: served = form } = reply.headers;
  if (served !== form) {
    const other = name === 'OVERRIDE_KEY' ? 'one that may choose its form' : `one of the ${form} form`;
    throw new Error(`${name} is answered in the ${served} form: give ${other}.`);
  }
  return !lacks;
};
