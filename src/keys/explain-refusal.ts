import { keyIdIn } from './key-format.ts';

const howToSend = 'Send it as "Authorization: Bearer <API_KEY>".';

/**
 * Parameter names that other services use for keys, and values that begin like a key of this
 * gateway.
 */
const keyInQuery =
  /(?:^|&)(?:(?:api_?-?)?key|(?:access_?)?token|apikey|authorization|[^=&]+(?==aik_))=/i;

const bearerScheme = /^bearer(?: +|$)/i;
const quotes = /^["'`\u2018-\u201d]|["'`\u2018-\u201d]$/;
const variable = /^(?:\$|%|\{\{|<)/;

/**
 * Explains what is wrong with the text after `Bearer`; `undefined` if it has the format of a key.
 */
const explainToken = (token: string): string | undefined => {
  if (token === '')
    return `No key follows "Bearer": is the variable it comes from empty? ${howToSend}`;
  if (quotes.test(token)) return `The key was sent in quotes. ${howToSend}`;
  if (variable.test(token))
    return `The key is a variable or placeholder that was not replaced. ${howToSend}`;
  if (/\s/.test(token)) return `More than a key follows "Bearer". ${howToSend}`;
  if (keyIdIn(token) !== undefined) return undefined;
  return 'This is not the shape of a key: it ends with a checksum, so copy it whole.';
};

/** The message for an unknown, revoked or expired key, or a suspended organization. */
const invalidKey = 'A valid API key is required: this one is not.';

/**
 * Explains a 401 by the request only, never by stored facts about the key, and repeats no part of
 * the key (decisions, "Errors").
 *
 * @param authorization the header's value; `undefined` unless it was sent exactly once
 * @param query the query string, searched for a key that was sent there by mistake
 */
export const explainRefusal = (authorization: string | undefined, query: string): string => {
  if (authorization === undefined) {
    if (keyInQuery.test(query)) return `A key in the query is never read. ${howToSend}`;
    return `An API key is required, in one Authorization header. ${howToSend}`;
  }
  const [scheme] = bearerScheme.exec(authorization) ?? [];
  if (scheme === undefined)
    return `The scheme of the Authorization header must be Bearer. ${howToSend}`;
  return explainToken(authorization.slice(scheme.length)) ?? invalidKey;
};
