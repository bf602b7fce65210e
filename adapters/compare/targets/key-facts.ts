import { type ComparedForm, otherForm } from '../../../src/crosswalk/forms.ts';
import { parseJson, textAt } from '../../../src/crosswalk/json.ts';
import { quotaRows } from '../../../src/crosswalk/request-rows.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import type { CaseSide, ComparisonCase } from '../cases/cases.ts';
import { windowMinutes } from '../cases/plan.ts';
import type { ComparisonRequest, ReceivedResponse, SendRequest } from '../cases/send-request.ts';
import { routeOf } from '../checks/outcomes.ts';

/** What the key that is used for a form may do, as far as cases depend on it. */
export interface KeyFacts {
  /** How the key was given, for advice. */
  readonly name: string;
  readonly lacking: ReadonlySet<Scope>;
  /** Whether the key may choose its form with `X-Envelope`; `undefined` when no case depends on it. */
  readonly choosesForm: boolean | undefined;
}

/** The environment variable of the key that is used for a form. */
export const keyName = (keys: CompareKeys, form: ComparedForm): string =>
  keys[form] === undefined ? 'OVERRIDE_KEY' : `${form.toUpperCase()}_KEY`;

const messageOf = ({ text }: ReceivedResponse): string => {
  const body = parseJson(text);
  return textAt(body, 'error.message') ?? textAt(body, 'message') ?? '';
};

/** Whether a request was refused because its key lacks a scope: the message names it, as the variant form has no 403. */
const lacksScope = (reply: ReceivedResponse, scope: Scope): boolean =>
  (reply.status === 403 || reply.status === 401) && messageOf(reply).includes(scope);

/** The scope that a request of a case needs; `undefined` when it is answered without one. */
const scopeOf = (form: ComparedForm, { ask, method }: CaseSide): Scope | undefined => {
  const route = routeOf(form, ask);
  return method !== 'GET' || route === undefined || route.access === 'public' ? undefined : route.access;
};

const namesForm = ({ headers }: CaseSide): boolean => headers['X-Envelope'] !== undefined;

/** Why a case cannot be put to a form with its key; `undefined` when it can. */
export const keyError = (side: CaseSide, form: ComparedForm, facts: KeyFacts): string | undefined => {
  const { name, lacking, choosesForm } = facts;
  const scope = scopeOf(form, side);
  if (scope !== undefined && lacking.has(scope)) return `they need ${scope}, which ${name} lacks`;
  return namesForm(side) && choosesForm ? `they need a key that may not choose its form, and ${name} may` : undefined;
};

/** A request of a side that depends on no artist and no earlier answer; the reply is cached for the case itself. */
const plainRequest = (form: ComparedForm, { ask, method, headers, after }: CaseSide): ComparisonRequest | undefined =>
  ask.includes('{') || after !== undefined ? undefined : { form, key: 'full', method, path: `/api/v1${ask}`, headers };

/** Finds out with requests of the cases which scopes the key lacks, and whether it may choose its form. */
export const readKeyFacts = async (
  send: SendRequest,
  cases: readonly ComparisonCase[],
  form: ComparedForm,
  known: KeyFacts,
): Promise<KeyFacts> => {
  const sides = cases.filter(({ key }) => key === 'full').map((one) => one[form]);
  const replyTo = async (fits: (side: CaseSide) => boolean) => {
    const [request] = sides.filter(fits).flatMap((side) => plainRequest(form, side) ?? []);
    return request && send(request);
  };
  const lacking = new Set(known.lacking);
  for (const scope of ['spikes:read', 'signings:read'] as const) {
    const reply = await replyTo((side) => scopeOf(form, side) === scope);
    if (reply !== undefined && lacksScope(reply, scope)) lacking.add(scope);
  }
  const named = known.choosesForm === undefined ? await replyTo(namesForm) : undefined;
  const choosesForm = named === undefined ? known.choosesForm : named.headers[servedHeader] === otherForm[form];
  return { ...known, lacking, choosesForm };
};

const servedHeader = 'x-envelope-served';

/**
 * Checks that the first answer to a key is one of its form; returns whether it has its items, which a key without `artists:read`
 * does not get. Raises an `Error` that says which key to give.
 */
export const checkFirstReply = (reply: ReceivedResponse, form: ComparedForm, name: string, path: string): boolean => {
  const lacks = lacksScope(reply, 'artists:read');
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

/** Requests that a run sends with one key, and the reply to the first one. */
interface KeyUse {
  readonly name: string;
  readonly requests: number;
  readonly reply: ReceivedResponse;
  /** The gateway's time, epoch milliseconds. */
  readonly now: number;
  readonly maxWaitSeconds: number;
}

/** A run that takes longer compares answers of different days. */
const maxRunSeconds = 86_400;

/** Why the quota of a key, or its time, does not suffice for a run; `undefined` when it does. */
export const quotaError = ({ name, requests, reply, now, maxWaitSeconds }: KeyUse): string | undefined => {
  const header = (one: string): string | undefined => reply.headers[one.toLowerCase()];
  // Keys of the current form have a quota for a day, also where they are answered in the other form.
  const pinned = header('X-RateLimit-Day-Limit') === undefined ? 'variant' : 'current';
  const waits = quotaRows
    .filter(({ form }) => form === pinned)
    .map(({ header: prefix, window }) => {
      const [limit, left, reset] = ['Limit', 'Remaining', 'Reset'].map((part) => Number(header(`${prefix}-${part}`)));
      if (limit === undefined || left === undefined || reset === undefined)
        throw new Error('Three parts give three numbers.');
      const first = requests <= left ? 0 : reset - now / 1000;
      const seconds = first + Math.max(0, Math.ceil((requests - left) / limit) - 1) * windowMinutes[window] * 60;
      return { first, seconds, text: `${left} of ${limit} requests of the ${window} left` };
    });
  const short = waits.find(({ first, seconds }) => first > maxWaitSeconds || seconds > maxRunSeconds);
  if (short !== undefined) {
    const hours = Math.ceil(short.seconds / 3600);
    return `${name} has ${short.text}, and this run sends about ${requests}, which takes about ${hours} hours: give a key with a higher quota, or choose fewer cases with --case.`;
  }
  const seconds = Math.max(0, ...waits.map((one) => one.seconds));
  const expires = Date.parse(header('X-Key-Expires') ?? '');
  return expires < now + seconds * 1000
    ? `${name} expires on ${header('X-Key-Expires')}, before this run ends: give a key that lasts longer.`
    : undefined;
};
