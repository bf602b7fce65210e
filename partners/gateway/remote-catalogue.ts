import { z } from 'zod';
import type { SpikeFinder } from '../../src/catalogue/spikes.ts';
import type { Scope } from '../../src/domain/caller.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import { dataUnavailable, Problem, type ProblemKind } from '../../src/domain/problem.ts';
import type { Spike } from '../../src/domain/signals.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import type { CatalogueContents, CatalogueSource, Clock, ListedArtist } from '../../src/ports.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import type { Quota } from '../shared/http.ts';
import { artistOf, detectorOf, spikesOf } from './current-items.ts';

export interface RemoteReply {
  /** 0 if there was none. */
  readonly status: number;
  /** The code of an error of the service; otherwise empty. */
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number | undefined;
  readonly tag?: string | undefined;
  readonly body: unknown;
}

/** Sends requests to the service in its current form. */
export interface Remote {
  /** @param retries true to repeat the request after 429, 5xx and lost connections */
  ask(path: string, retries: boolean): Promise<RemoteReply>;
  sleep(seconds: number): Promise<unknown>;
  quota(): Quota;
}

interface RemoteOptions {
  readonly remote: Remote;
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labels: readonly string[];
  readonly clock: Clock;
  /** True to limit loads to a share of the daily quota. */
  readonly isPaced?: boolean;
  /** Receives the number of artists read so far, after each page. */
  readonly progress?: (artists: number) => void;
}

export interface RemoteAccess {
  readonly isRejected: boolean;
  readonly lacking: ReadonlySet<Scope>;
}

const page = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ next_cursor: z.string().nullable().optional() }),
});
const health = z.object({
  generated_at: z.iso.datetime().transform((text) => Date.parse(text)),
});

export const pageSize = 100;

/** The share of the daily quota for loads. The rest is for another program or a second copy. */
const shareOfDay = 0.5;
const defaultPerDay = 1_000;
/** The time between loads if the tag of health does not change. */
const maxAgeMs = 3 * hourMs;
/** How long spikes of a requested window are loaded. */
const windowsKeptMs = dayMs;
const defaultWindow = 3;

const problemKinds: Readonly<Record<string, ProblemKind>> = {
  unauthorized: 'unauthorized',
  insufficient_scope: 'insufficient-scope',
  rate_limited: 'window-spent',
  quota_exceeded: 'window-spent',
};

const artistsPath = '/api/v1/artists';
const spikesPath = (days: number): string => `/api/v1/spikes?days=${days}`;

/** The pages of an interrupted load. The next load continues if the tag is the same. */
interface Pages {
  readonly tag: string | undefined;
  readonly items: unknown[];
  cursor: string | null;
}

/** Allows a tenth of the day's loads at any time, and spreads the others evenly. */
const createBudget = (clock: Clock) => {
  let nextAt = Number.NEGATIVE_INFINITY;
  const pace = (requests: number, perDay: number) => {
    const loads = Math.max(1, Math.floor((shareOfDay * perDay) / requests));
    const burst = Math.floor(loads / 10);
    const intervalMs = dayMs / (loads - burst);
    return { intervalMs, burstMs: burst * intervalMs };
  };
  return {
    allows: (requests: number, perDay: number): boolean =>
      nextAt - clock.elapsed() <= pace(requests, perDay).burstMs,
    spend(requests: number, perDay: number): void {
      nextAt = Math.max(nextAt, clock.elapsed()) + pace(requests, perDay).intervalMs;
    },
  };
};

/** The catalogue of another gateway, loaded from its current form, and its clock. */
export const createRemoteCatalogue = (options: RemoteOptions) => {
  const { remote, documentIds, labels, clock, isPaced = true, progress = () => {} } = options;
  const serviceClock = { now: () => Math.round(clock.now() + ahead), elapsed: clock.elapsed };
  const budget = createBudget(clock);
  let access: RemoteAccess = { isRejected: false, lacking: new Set() };
  let ahead = 0;
  let pages: Pages | undefined;
  let last:
    | { readonly contents: CatalogueContents; readonly at: number; readonly tag?: string }
    | undefined;
  let spikeLists: ReadonlyMap<number, readonly Spike[]> = new Map();
  const windows = new Map([[defaultWindow, Number.POSITIVE_INFINITY]]);

  const setLacking = (scope: Scope, isLacking: boolean): void => {
    const others = [...access.lacking].filter((one) => one !== scope);
    access = { isRejected: false, lacking: new Set(isLacking ? [...others, scope] : others) };
  };

  /** Waits if the quota of this minute is used up. */
  const pace = async (): Promise<void> => {
    const { minute } = remote.quota();
    if (minute === undefined || minute.remaining > 0) return;
    const seconds = Math.ceil((minute.reset.getTime() - serviceClock.now()) / 1_000);
    if (seconds > 0) await remote.sleep(seconds);
  };

  const ask = async (path: string, scope: Scope, retries: boolean) => {
    const reply = await remote.ask(path, retries);
    if (reply.status === 401) access = { ...access, isRejected: true };
    if (reply.status === 200) setLacking(scope, false);
    if (reply.code === 'insufficient_scope') setLacking(scope, true);
    if (reply.status !== 200) return { reply, found: undefined };
    const { data: found } = page.safeParse(reply.body);
    if (found === undefined)
      return { reply: { ...reply, message: `${path}: not a list of the service` }, found };
    return { reply, found };
  };

  /** Returns `undefined` if the key lacks the scope. */
  const load = async (path: string, scope: Scope) => {
    await pace();
    const { reply, found } = await ask(path, scope, true);
    if (found !== undefined || reply.code === 'insufficient_scope') return found;
    if (reply.code === 'invalid_cursor') pages = undefined;
    throw new StoreError(reply.message);
  };

  const loadArtists = async (tag: string | undefined): Promise<readonly unknown[] | undefined> => {
    const isSame = tag !== undefined && pages?.tag === tag;
    const reading: Pages = (isSame && pages) || { tag, items: [], cursor: '' };
    pages = reading;
    while (reading.cursor !== null) {
      const after = reading.cursor === '' ? '' : `&cursor=${encodeURIComponent(reading.cursor)}`;
      const found = await load(`${artistsPath}?limit=${pageSize}${after}`, 'artists:read');
      if (found === undefined) {
        setLacking('signings:read', true); // signings are made of artists
        return undefined;
      }
      if (found.meta.next_cursor === reading.cursor)
        throw new StoreError('a page names itself as the next page');
      reading.items.push(...found.data);
      reading.cursor = found.meta.next_cursor ?? null;
      progress(reading.items.length);
    }
    return reading.items;
  };

  const loadSpikes = async () => {
    const lists = new Map<number, readonly Spike[]>();
    for (const [days, askedAt] of windows) {
      if (clock.elapsed() - askedAt > windowsKeptMs) windows.delete(days);
      else {
        const found = await load(spikesPath(days), 'spikes:read');
        if (found === undefined) break;
        lists.set(days, spikesOf(found.data));
      }
    }
    return lists;
  };

  const loadAll = async (tag: string | undefined): Promise<CatalogueContents> => {
    const items = await loadArtists(tag);
    const signings = items && (await load('/api/v1/signings', 'signings:read'));
    spikeLists = await loadSpikes();
    pages = undefined;
    const faults: DocumentFault[] = [];
    const artists = (items ?? []).flatMap((item): ListedArtist[] => {
      const { artist, reason } = artistOf(item, documentIds);
      if (artist !== undefined) return [{ artist, recent: [] }];
      faults.push({
        event: 'invalid document ignored',
        collection: 'artists',
        document: '',
        reason,
      });
      return [];
    });
    const names = labels.map((name) => ({ name, aliases: [] }));
    return { artists, labels: names, detectLabel: detectorOf(signings?.data ?? []), faults };
  };

  const costs = (artists: number): readonly [requests: number, perDay: number] => {
    const { minute, day } = remote.quota();
    const hourly = day === undefined && minute !== undefined ? 24 * minute.limit : undefined;
    const requests = Math.max(1, Math.ceil(artists / pageSize)) + 1 + windows.size;
    return [requests, day?.limit ?? hourly ?? defaultPerDay];
  };

  const source: CatalogueSource = {
    async load() {
      const sentAt = clock.now();
      const { status, message, tag, body } = await remote.ask('/api/v1/health', false);
      const found = health.safeParse(body);
      if (status !== 200 || !found.success) throw new StoreError(message);
      ahead = found.data.generated_at - (sentAt + clock.now()) / 2;
      if (last !== undefined && !access.isRejected) {
        const isChanged = tag !== last.tag || tag === undefined;
        const isDue = isChanged || clock.elapsed() - last.at >= maxAgeMs;
        const isAllowed = !isPaced || budget.allows(...costs(last.contents.artists.length));
        if (!isDue || !isAllowed) return last.contents;
      }
      const contents = await loadAll(tag);
      budget.spend(...costs(contents.artists.length));
      last = { contents, at: clock.elapsed(), ...(tag !== undefined && { tag }) };
      return contents;
    },
  };

  const readSpikes = async (days: number): Promise<readonly Spike[]> => {
    const { reply, found } = await ask(spikesPath(days), 'spikes:read', false);
    if (found !== undefined) {
      const list = spikesOf(found.data);
      spikeLists = new Map([...spikeLists, [days, list]]);
      return list;
    }
    const { code, message, retryAfter } = reply;
    const kind = problemKinds[code];
    if (kind === undefined) throw dataUnavailable(new Error(message));
    throw new Problem(kind, message, retryAfter === undefined ? {} : { retryAfter });
  };

  /** Requests a window that is not loaded yet, without waiting. */
  const spikes: SpikeFinder = async (_artists, days) => {
    windows.set(days, days === defaultWindow ? Number.POSITIVE_INFINITY : clock.elapsed());
    return { spikes: spikeLists.get(days) ?? (await readSpikes(days)), identity: '' };
  };

  return {
    source,
    spikes,
    documentIds,
    access: () => access,
    clock: serviceClock,
  };
};

export type RemoteCatalogue = ReturnType<typeof createRemoteCatalogue>;
