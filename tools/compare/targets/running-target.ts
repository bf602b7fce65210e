import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import { type Scope, scopes } from '../../../src/domain/caller.ts';
import { type Json, textAt, valueAt } from '../../../src/domain/json.ts';
import { generateKey } from '../../../src/keys/generate-key.ts';
import type { CompareKeys } from '../../../src/runtime/config.ts';
import { byForm, type ComparedForm } from '../../migration/mapping/forms.ts';
import { mapping } from '../../migration/mapping/mapping.ts';
import { CaseSkipped, createSide } from '../cases/cases.ts';
import { type KnownArtist, toKnownArtist } from '../cases/placeholders.ts';
import { askSide, type SendRequest } from '../cases/send-request.ts';
import type { WholeShortlist } from '../checks/list-check.ts';
import { createIdPairs } from '../checks/pairing.ts';
import type { QuotaClock } from '../checks/quota-headers.ts';
import { sortArtists } from '../checks/stored-documents.ts';
import {
  createClient,
  createResponseCache,
  RunEnded,
  type WaitToRetry,
  withRetryAfter,
} from './client.ts';
import { readArtists, readNow, skipWhatKeysLack } from './key-facts.ts';
import type { ComparisonTarget } from './target.ts';

export interface IdPair {
  readonly current: string;
  readonly variant: string;
}

interface RunningOptions {
  readonly baseUrl: URL;
  readonly keys: CompareKeys;
  readonly pairs: readonly IdPair[];
  readonly wait: WaitToRetry;
  readonly maxWaitSeconds: number;
  readonly spikes: SpikeSettings;
}

/** Artists that a case with `each` is repeated for: few, because quotas are scarce. */
export const maxPartnerArtists = 3;

/** Sends requests to a running gateway with a partner's keys, and with an unknown key. */
export const createPartnerClient = ({
  baseUrl,
  keys,
}: Pick<RunningOptions, 'baseUrl' | 'keys'>): SendRequest => {
  const unknown = { text: generateKey().text };
  return createClient(baseUrl, (form, kind) => {
    if (kind === 'full')
      return { text: keys[form] ?? keys.override, choosesForm: keys[form] === undefined };
    if (kind === 'none') return {};
    if (kind === 'unknown') return unknown;
    throw new CaseSkipped('they need keys that are made up for them');
  });
};

/** How far the clock of a store may be from the gateway's `Date`, milliseconds. */
const maxSkewMs = 5_000;

/**
 * The clock of `Date`. If the gateway's own time differs (`FIXED_NOW`), the clock of its store is
 * unknown.
 */
const createQuotaClock = (now: string, date: string | undefined): QuotaClock => {
  const isOwn = Math.abs(Date.parse(now) - Date.parse(date ?? '')) < 2 * maxSkewMs;
  return {
    at: ({ headers }) => (isOwn ? Date.parse(headers['date'] ?? '') : undefined),
    skewMs: maxSkewMs,
  };
};

type FirstItems = Readonly<Record<ComparedForm, readonly Json[]>>;

const pairByIndex = ({ current, variant }: FirstItems): KnownArtist[] =>
  current.flatMap((item, index) => {
    const other = variant[index];
    const isSame = ['name', 'date_added'].every(
      (member) => textAt(item, member) === textAt(other, member),
    );
    return (isSame && toKnownArtist(item, textAt(other, 'id'))) || [];
  });

/**
 * True if a form shows a field that takes the scope. Otherwise its key might lack the scope, or no
 * artist has such a field.
 */
const showsScope = (items: FirstItems, form: ComparedForm, scope: Scope): boolean =>
  mapping.members.artist.some(({ scope: needed, [form]: path }) => {
    const isOfScope = needed === scope && path !== undefined;
    return isOfScope && items[form].some((item) => valueAt(item, path) !== undefined);
  });

/** Pages of 100 artists with their history: more would take too much memory and quota. */
const maxPages = 20;

/**
 * The whole shortlist as the current form lists it, put in order. `undefined` with a note if it is
 * longer than `maxPages` or the status is not 200. `undefined` if the quota is used up: then the
 * next case ends the run.
 */
const readStored = async (
  send: SendRequest,
  spikes: SpikeSettings,
  notes: string[],
): Promise<WholeShortlist | undefined> => {
  const side = createSide('/artists?include=history&limit=100', { pages: maxPages });
  const asked = askSide(send, 'current', 'full', side, { today: '', artist: undefined });
  const answer = await asked.catch((error: unknown) => {
    if (error instanceof RunEnded) return undefined;
    throw error;
  });
  if (answer === undefined) return undefined;
  const { status } = answer.replies.at(-1) ?? {};
  if (status === 200 && !answer.truncated)
    return { artists: sortArtists(answer.items), findLabel: undefined, spikes };
  const reason =
    status === 200
      ? `it has more than ${maxPages * 100} artists`
      : `GET ${answer.path} was answered ${status}`;
  const text = `Not every case was checked against the whole shortlist: ${reason}.`;
  if (!notes.includes(text)) notes.push(text);
  return undefined;
};

const noteOnSpikes = ({ floor, thresholdPercent }: SpikeSettings): string =>
  `Spikes are judged by SPIKE_FLOOR=${floor} and SPIKE_THRESHOLD_PERCENT=${thresholdPercent}: set both as the gateway has them.`;

/**
 * A running gateway, called with the keys of a partner. Rejects when its first answers are not 200.
 */
export const openRunningTarget = async (options: RunningOptions): Promise<ComparisonTarget> => {
  const { baseUrl, keys, pairs, wait, maxWaitSeconds, spikes } = options;
  const cache = createResponseCache(
    withRetryAfter(createPartnerClient(options), wait, maxWaitSeconds),
  );
  const { now, date } = await readNow(cache.send, 'current');
  // One form after the other: of two refused keys the first one is reported.
  const current = await readArtists(cache.send, 'current', keys, 100);
  const items = { current, variant: await readArtists(cache.send, 'variant', keys, 100) };
  const shown = byForm((form) => new Set(scopes.filter((scope) => showsScope(items, form, scope))));
  const notes = [noteOnSpikes(spikes)];
  let stored: ReturnType<typeof readStored> | undefined;
  return {
    name: baseUrl.href.replace(/\/$/, ''),
    now,
    notes,
    send: skipWhatKeysLack(cache.send, cache.sendAgain, keys),
    sendAgain: skipWhatKeysLack(cache.sendAgain, cache.sendAgain, keys),
    forget() {
      cache.forget();
      stored = undefined;
    },
    forgetReplies: cache.forget,
    knownArtists: pairByIndex(items),
    maxArtists: maxPartnerArtists,
    dataMayChange: true,
    knowledge: {
      now: undefined,
      headers: {
        keyFacts: (form) => ({
          pinned: keys[form] === undefined ? undefined : form,
          deprecated: undefined,
          expires: undefined,
        }),
        allowsProxy: true,
        clock: createQuotaClock(now, date),
      },
      hasScope: (form) => (scope) => shown[form].has(scope) || undefined,
      partner: undefined,
      idPairs: createIdPairs(pairs),
    },
    readStored: () => (stored ??= readStored(cache.send, spikes, notes)),
    close: async () => {},
  };
};
