import type { SpikeSettings } from '../../../src/catalogue/spikes.ts';
import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, parseJson, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import { keyText } from '../../../src/keys/key-format.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import { type KeyKind, sideOf } from '../cases/cases.ts';
import { type KnownArtist, toKnownArtist } from '../cases/placeholders.ts';
import { askSide, itemsIn, type SendRequest } from '../cases/send-request.ts';
import type { WholeShortlist } from '../checks/list-check.ts';
import { createIdPairs } from '../checks/pairing.ts';
import {
  type Client,
  createClient,
  createResponseCache,
  QuotaWaitExceeded,
  type WaitForQuota,
  withRetryAfter,
} from './client.ts';
import type { OpenTarget } from './target.ts';

/** A stable identifier and the document identifier of the same artist. */
export interface IdPair {
  readonly current: string;
  readonly variant: string;
}

interface RunningOptions {
  readonly baseUrl: URL;
  readonly keys: CompareKeys;
  readonly pairs: readonly IdPair[];
  readonly wait: WaitForQuota;
  readonly maxWaitSeconds: number;
  /** As the gateway has them. */
  readonly spikes: SpikeSettings;
}

/** Artists that a case with `each` is repeated for: few, because quotas are scarce. */
export const maxPartnerArtists = 3;
/** The kinds of keys that a partner has, or can make up. */
export const keyKindsOfPartners: readonly KeyKind[] = ['full', 'none', 'unknown'];
const unknownKey = keyText('nobody', 'x'.repeat(43));

/** The first items of each form. */
type FirstItems = Readonly<Record<ComparedForm, readonly Json[]>>;

/** A client of a running gateway with a partner's keys. */
export const createPartnerClient = ({ baseUrl, keys }: Pick<RunningOptions, 'baseUrl' | 'keys'>): Client =>
  createClient(baseUrl, {
    textOf(form, kind) {
      if (kind === 'full') return keys[form] ?? keys.override;
      return kind === 'unknown' ? unknownKey : undefined;
    },
    choosesForm: (form, kind) => kind === 'full' && keys[form] === undefined,
  });

/** The body of a request that must be answered 200. Rejects with the status and the message otherwise. */
const requireBody = async (send: SendRequest, form: ComparedForm, key: KeyKind, path: string): Promise<Json> => {
  const reply = await send({ form, key, method: 'GET', path, headers: {} });
  const body = parseJson(reply.text);
  if (reply.status === 200 && body !== undefined) return body;
  const message = textAt(body, 'error.message') ?? textAt(body, 'message') ?? '';
  throw new Error(`GET ${path} in the ${form} form was answered ${reply.status}. ${message}`);
};

/** The gateway's time, an ISO 8601 instant. */
export const readNow = async (send: SendRequest, form: ComparedForm): Promise<string> =>
  textAt(await requireBody(send, form, 'none', '/api/v1/health'), 'generated_at') ?? '';

/** The first artists of a form. */
export const readArtists = async (send: SendRequest, form: ComparedForm, limit: number): Promise<readonly Json[]> =>
  itemsIn(await requireBody(send, form, 'full', `/api/v1/artists?limit=${limit}`));

/** Members that show that a key has a scope. Without them the key may lack the scope, or there is nothing to show. */
const scopeEvidence: readonly (readonly [ComparedForm, Scope, string])[] = [
  ['current', 'editorial:read', 'editorial'],
  ['current', 'signing-notes:read', 'signing.note'],
  ['variant', 'editorial:read', 'scouting_report'],
];

type SeenScopes = Readonly<Record<ComparedForm, ReadonlySet<Scope>>>;

const seenScopes = (items: FirstItems): SeenScopes =>
  byForm((form) => {
    const seen = scopeEvidence.filter(
      ([one, , member]) => one === form && items[form].some((item) => valueAt(item, member) !== undefined),
    );
    return new Set(seen.map(([, scope]) => scope));
  });

const notesOn = (seen: SeenScopes): string[] =>
  scopeEvidence
    .filter(([form, scope]) => !seen[form].has(scope))
    .map(
      ([form, scope, member]) =>
        `${member} was not seen in the ${form} form: its key may lack ${scope}, or nobody has one.`,
    );

const noteOnSpikes = ({ floor, thresholdPercent }: SpikeSettings): string =>
  `Spikes are judged by SPIKE_FLOOR=${floor} and SPIKE_THRESHOLD_PERCENT=${thresholdPercent}: set both as the gateway has them.`;

/** Artists at the same index of both lists, with the same name and day. */
const pairByIndex = ({ current, variant }: FirstItems): KnownArtist[] =>
  current.flatMap((item, index) => {
    const other = variant[index];
    const isSame = ['name', 'date_added'].every((member) => textAt(item, member) === textAt(other, member));
    return (isSame && toKnownArtist(item, textAt(other, 'id'))) || [];
  });

/** The gateway's time, and its first artists in both forms. */
const readFirstAnswers = async (send: SendRequest) => {
  const now = await readNow(send, 'current');
  const current = await readArtists(send, 'current', 100);
  return { now, items: { current, variant: await readArtists(send, 'variant', 100) } };
};

/** The first artists of each form, and the whole shortlist if it has one page. */
export const firstRequests = { current: 2, variant: 1 } as const;

/** More pages of 100 artists with their history than the memory and the quota of a run should hold. */
const maxPages = 20;

/**
 * The whole shortlist as the current form lists it; `undefined` when it is longer than `maxPages` or not answered, as when the quota
 * is spent: then the next case ends the run.
 */
const readStored = async (send: SendRequest, spikes: SpikeSettings): Promise<WholeShortlist | undefined> => {
  const side = sideOf('/artists?include=history&limit=100', { pages: maxPages });
  const asked = askSide(send, 'current', 'full', side, { today: '', artist: undefined });
  const answer = await asked.catch((error: unknown) => {
    if (error instanceof QuotaWaitExceeded) return undefined;
    throw error;
  });
  if (answer === undefined || answer.truncated || answer.replies.some(({ status }) => status !== 200)) return undefined;
  return { artists: answer.items, findLabel: undefined, spikes };
};

/** A running gateway, called with the keys of a partner. Rejects when its first answers are not 200. */
export const openRunningTarget = async (options: RunningOptions): Promise<OpenTarget> => {
  const { baseUrl, keys, pairs, wait, maxWaitSeconds, spikes } = options;
  const client = createPartnerClient(options);
  const send = withRetryAfter(client.send, wait, maxWaitSeconds);
  const cache = createResponseCache(send);
  const { now, items } = await readFirstAnswers(cache.send).catch((error: unknown) => {
    client.close(); // an open keep-alive connection would keep the process alive
    throw error;
  });
  const seen = seenScopes(items);
  let stored: ReturnType<typeof readStored> | undefined;
  return {
    target: {
      send,
      cache: {
        send: cache.send,
        clear() {
          cache.clear();
          stored = undefined;
        },
      },
      today: now.slice(0, 10),
      knownArtists: pairByIndex(items),
      keyKinds: keyKindsOfPartners,
      maxArtists: maxPartnerArtists,
      dataMayChange: true,
      knowledge: {
        hasFixedClock: false,
        headers: {
          keyFacts: (form) => ({
            pinned: keys[form] === undefined ? undefined : form,
            deprecated: undefined,
            expires: undefined,
          }),
          allowsProxy: true,
        },
        hasScope: (form) => (scope) => seen[form].has(scope) || undefined,
        partner: undefined,
        idPairs: createIdPairs(pairs),
      },
      readStored: () => (stored ??= readStored(cache.send, spikes)),
    },
    name: baseUrl.href.replace(/\/$/, ''),
    now,
    notes: [...notesOn(seen), noteOnSpikes(spikes)],
    close: async () => client.close(),
  };
};
