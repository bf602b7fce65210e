import { type Json, parseJson, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { Sees } from '../../../src/crosswalk/rows.ts';
import type { FormName, Scope } from '../../../src/domain/caller.ts';
import { keyText } from '../../../src/keys/key-format.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import type { KeyKind } from '../cases/cases.ts';
import type { KnownArtist } from '../cases/placeholders.ts';
import { itemsIn, type SendRequest } from '../cases/send-request.ts';
import type { Knowledge } from '../checks/comparison.ts';
import { createClient } from './client.ts';
import { createIdPairs } from './id-pairs.ts';
import { createResponseCache } from './response-cache.ts';
import { type Wait, withRetryAfter } from './retry-after.ts';
import type { OpenTarget } from './target.ts';

/** A stable identifier and the document identifier of the same artist. */
export interface IdPair {
  readonly current: string;
  readonly variant: string;
}

export interface RunningOptions {
  readonly baseUrl: URL;
  readonly keys: CompareKeys;
  readonly pairs: readonly IdPair[];
  readonly wait: Wait;
  readonly longestWaitSeconds: number;
}

/** How many artists are asked for one by one: quotas are scarce. */
const samples = 3;
const keyKinds: readonly KeyKind[] = ['full', 'none', 'unknown'];
const stranger = keyText('nobody', 'x'.repeat(43));

const clientOf = ({ baseUrl, keys }: RunningOptions) =>
  createClient(baseUrl, {
    textOf(form, kind) {
      const texts: Partial<Record<KeyKind, string | undefined>> = {
        full: keys[form] ?? keys.override,
        unknown: stranger,
      };
      return texts[kind];
    },
    choosesForm: (form, kind) => kind === 'full' && keys[form] === undefined,
  });

/** Asks for a body that has to come, with words for when it does not. */
const askBody = async (ask: SendRequest, form: FormName, key: KeyKind, path: string): Promise<Json> => {
  const reply = await ask({ form, key, method: 'GET', path, headers: {} });
  const body = parseJson(reply.text);
  if (reply.status === 200 && body !== undefined) return body;
  const message = textAt(body, 'error.message') ?? textAt(body, 'message') ?? '';
  throw new Error(`GET ${path} in the ${form} form was answered ${reply.status}. ${message}`);
};

/** Where scopes show. A scope that nothing shows may be missing, or there may be nothing to show. */
const traces: readonly (readonly [FormName, Scope, string])[] = [
  ['current', 'editorial:read', 'editorial'],
  ['current', 'signing-notes:read', 'signing.note'],
  ['variant', 'editorial:read', 'scouting_report'],
];

const seenScopes = (lists: Readonly<Record<FormName, readonly Json[]>>, form: FormName): ReadonlySet<Scope> =>
  new Set(
    traces
      .filter(([one, , member]) => one === form && lists[form].some((item) => valueAt(item, member) !== undefined))
      .map(([, scope]) => scope),
  );

const seesOf =
  (seen: ReadonlySet<Scope>): Sees =>
  (scope) =>
    seen.has(scope) ? true : undefined;

const sameArtist = (current: Json | undefined, variant: Json | undefined): boolean =>
  ['name', 'date_added'].every((member) => textAt(current, member) === textAt(variant, member));

/** Artists at the same place of both lists, with the same name and day. */
const pairFirst = (current: readonly Json[], variant: readonly Json[]): KnownArtist[] =>
  current.flatMap((item, place) => {
    const other = variant[place];
    const [id, documentId, name] = [textAt(item, 'id'), textAt(other, 'id'), textAt(item, 'name')];
    if (!sameArtist(item, other) || id === undefined || documentId === undefined || name === undefined) return [];
    return [{ current: id, variant: documentId, name, tier: textAt(item, 'tier') }];
  });

const notesOn = (seen: Readonly<Record<FormName, ReadonlySet<Scope>>>): string[] =>
  traces
    .filter(([form, scope]) => !seen[form].has(scope))
    .map(
      ([form, scope, member]) =>
        `${member} was not seen in the ${form} form: its key may lack ${scope}, or nobody has one.`,
    );

interface Met {
  readonly now: string;
  readonly lists: Readonly<Record<FormName, readonly Json[]>>;
}

/** The first answers of a gateway: what time it is there, and the top of the list in both forms. */
const meet = async (ask: SendRequest): Promise<Met> => {
  const health = await askBody(ask, 'current', 'none', '/api/v1/health');
  const current = await askBody(ask, 'current', 'full', '/api/v1/artists?limit=100');
  const variant = await askBody(ask, 'variant', 'full', '/api/v1/artists?limit=100');
  return {
    now: textAt(health, 'generated_at') ?? '',
    lists: { current: itemsIn(current), variant: itemsIn(variant) },
  };
};

/** A gateway that runs somewhere, looked at from outside with the keys of a partner. */
export const openRunningTarget = async (options: RunningOptions): Promise<OpenTarget> => {
  const { baseUrl, keys, pairs, wait, longestWaitSeconds } = options;
  const client = clientOf(options);
  const ask = withRetryAfter(client.ask, wait, longestWaitSeconds);
  const memory = createResponseCache(ask);
  const { now, lists } = await meet(memory.ask).catch((error: unknown) => {
    client.close(); // else its kept connection keeps the process alive
    throw error;
  });
  const seen = { current: seenScopes(lists, 'current'), variant: seenScopes(lists, 'variant') };
  const knowledge: Knowledge = {
    clockStands: false,
    allowsProxy: true,
    sees: (form) => seesOf(seen[form]),
    keyFacts: (form) => ({ pinned: keys[form] === undefined ? undefined : form, deprecated: undefined }),
    partner: undefined,
    identities: createIdPairs(pairs),
    ground: undefined,
  };
  return {
    subject: {
      ask,
      memory,
      today: now.slice(0, 10),
      known: pairFirst(lists.current, lists.variant),
      keys: new Set(keyKinds),
      samples,
      changes: true,
      knowledge,
    },
    name: baseUrl.href.replace(/\/$/, ''),
    now,
    notes: notesOn(seen),
    close: async () => client.close(),
  };
};
