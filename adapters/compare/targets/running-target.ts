import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, parseJson, textAt } from '../../../src/crosswalk/json.ts';
import { keyText } from '../../../src/keys/key-format.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import { type ComparisonCase, type KeyKind, sideOf } from '../cases/cases.ts';
import { type KnownArtist, toKnownArtist } from '../cases/placeholders.ts';
import { askSide, itemsIn, type SendRequest } from '../cases/send-request.ts';
import type { WholeShortlist } from '../checks/list-check.ts';
import { createIdPairs } from '../checks/pairing.ts';
import type { QuotaClock } from '../checks/quota-headers.ts';
import { CaseSkipped } from '../run.ts';
import { createClient, createResponseCache, RunEnded, type WaitForQuota, withRetryAfter } from './client.ts';
import { checkFirstReply, keyName, skipWhatKeysLack } from './key-facts.ts';
import { noteOnSpikes, notesOn, seenScopes } from './seen-scopes.ts';
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
/** Why a case cannot be asked of a gateway with the operator's own keys; `undefined` when it can. */
export const partnerKeyError = ({ key }: ComparisonCase): string | undefined =>
  keyKindsOfPartners.includes(key) ? undefined : 'they need keys that are made up for them';

const unknownKey = keyText('nobody', 'x'.repeat(43));

/** The first items of each form. */
type FirstItems = Readonly<Record<ComparedForm, readonly Json[]>>;

/** Sends requests to a running gateway with a partner's keys. */
export const createPartnerClient = ({ baseUrl, keys }: Pick<RunningOptions, 'baseUrl' | 'keys'>): SendRequest =>
  createClient(baseUrl, {
    textOf(form, kind) {
      if (kind === 'full') return keys[form] ?? keys.override;
      return kind === 'unknown' ? unknownKey : undefined;
    },
    choosesForm: (form, kind) => kind === 'full' && keys[form] === undefined,
  });

/** How far the clock of a store may be from the gateway's `Date`, milliseconds. */
const maxSkewMs = 5_000;

/** The clock of `Date`, unless the gateway's own time is another one: then the store may have either. */
const createQuotaClock = (now: string, date: string | undefined): QuotaClock => {
  const isOwn = Math.abs(Date.parse(now) - Date.parse(date ?? '')) < 2 * maxSkewMs;
  return { at: ({ headers }) => (isOwn ? Date.parse(headers['date'] ?? '') : undefined), skewMs: maxSkewMs };
};

/** The gateway's time, an ISO 8601 instant, and its `Date`. Rejects with the status when its health is not 200. */
export const readNow = async (send: SendRequest, form: ComparedForm) => {
  const path = '/api/v1/health';
  const reply = await send({ form, key: 'none', method: 'GET', path, headers: {} });
  checkFirstReply({ ...reply, headers: {} }, form, 'Without a key', path);
  return { now: textAt(parseJson(reply.text), 'generated_at') ?? '', date: reply.headers['date'] };
};

/** The first artists of a form; none when its key lacks the scope. Rejects with advice when the key cannot be used. */
export const readArtists = async (send: SendRequest, form: ComparedForm, keys: CompareKeys, limit: number) => {
  const path = `/api/v1/artists?limit=${limit}`;
  const reply = await send({ form, key: 'full', method: 'GET', path, headers: {} });
  const hasItems = checkFirstReply(reply, form, keyName(keys, form), path);
  return { items: hasItems ? itemsIn(parseJson(reply.text)) : [] };
};

/** The first artists of each form, one form after the other: of two refused keys the first one is told. */
const readFirstItems = async (send: SendRequest, keys: CompareKeys): Promise<FirstItems> => ({
  current: (await readArtists(send, 'current', keys, 100)).items,
  variant: (await readArtists(send, 'variant', keys, 100)).items,
});

/** Artists at the same index of both lists, with the same name and day. */
const pairByIndex = ({ current, variant }: FirstItems): KnownArtist[] =>
  current.flatMap((item, index) => {
    const other = variant[index];
    const isSame = ['name', 'date_added'].every((member) => textAt(item, member) === textAt(other, member));
    return (isSame && toKnownArtist(item, textAt(other, 'id'))) || [];
  });

/** Raises `RunEnded` when a key that was accepted at first is refused during the run, and not for one request only. */
const endWhenRefused =
  (ask: SendRequest, send: SendRequest, keys: CompareKeys): SendRequest =>
  async (request) => {
    const reply = await ask(request);
    if (reply.status === 401 && request.key === 'full') {
      await readArtists(send, request.form, keys, 1).catch((cause: Error) => {
        throw new RunEnded(`A key is refused since this run began. ${cause.message}`, { cause });
      });
    }
    return reply;
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
    if (error instanceof RunEnded || error instanceof CaseSkipped) return undefined;
    throw error;
  });
  if (answer === undefined || answer.truncated || answer.replies.some(({ status }) => status !== 200)) return undefined;
  return { artists: answer.items, findLabel: undefined, spikes };
};

/** A running gateway, called with the keys of a partner. Rejects when its first answers are not 200. */
export const openRunningTarget = async (options: RunningOptions): Promise<OpenTarget> => {
  const { baseUrl, keys, pairs, wait, maxWaitSeconds, spikes } = options;
  const send = withRetryAfter(createPartnerClient(options), wait, maxWaitSeconds);
  const cache = createResponseCache(send);
  const { now, date } = await readNow(cache.send, 'current');
  const items = await readFirstItems(cache.send, keys);
  const seen = seenScopes(items);
  const ask = (unchecked: SendRequest) => skipWhatKeysLack(endWhenRefused(unchecked, send, keys), keys);
  let stored: ReturnType<typeof readStored> | undefined;
  return {
    target: {
      send: ask(send),
      cache: {
        send: ask(cache.send),
        clear() {
          cache.clear();
          stored = undefined;
        },
      },
      today: now.slice(0, 10),
      knownArtists: pairByIndex(items),
      keyError: partnerKeyError,
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
          clock: createQuotaClock(now, date),
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
    close: async () => {},
  };
};
