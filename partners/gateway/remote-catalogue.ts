import { z } from 'zod';
import type { SpikeFinder } from '../../src/catalogue/spikes.ts';
import type { Scope } from '../../src/domain/caller.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import { dataUnavailable, Problem, type ProblemKind } from '../../src/domain/problem.ts';
import type { Spike } from '../../src/domain/signals.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import type { CatalogueContents, CatalogueSource, Clock, ListedArtist } from '../../src/ports.ts';
import { ApiError, healthPath, type Reply, type Service, SettingError } from '../shared/http.ts';
import { artistOf, detectorOf, spikesOf } from './current-items.ts';

export const cannotChoose = 'ARTIST_API_KEY may not choose its form: ask us to let it';

/** Reads a response of the current form with status 200. Rejects with an ApiError otherwise. */
export type Ask = (path: string, retries: boolean) => Promise<Pick<Reply, 'headers' | 'body'>>;

/** Rejects with a SettingError for a key that only reads the variant form. */
export const askOf =
  (service: Service): Ask =>
  async (path, retries) => {
    const reply = await (retries ? service.ask(path) : service.send(path));
    if (reply.status !== 200) throw service.errorOf(reply);
    if (reply.headers.get('X-Envelope-Served') === 'variant')
      throw new SettingError(`${cannotChoose}, or use a key of the current form.`);
    return reply;
  };

interface RemoteOptions {
  readonly ask: Ask;
  readonly service: Pick<Service, 'quota' | 'sleep'>;
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labels: readonly string[];
  readonly clock: Clock;
  /** True to limit loads to a share of the daily quota. */
  readonly isPaced?: boolean;
  /** Receives the number of artists read so far, after each page. */
  readonly progress?: (artists: number) => void;
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
  readonly tag: string | null;
  readonly items: unknown[];
  cursor: string | null;
}

/** The catalogue of another gateway, loaded from its current form, and its clock. */
export const createRemoteCatalogue = (options: RemoteOptions) => {
  const { ask, service, documentIds, labels, clock, isPaced = true, progress = () => {} } = options;
  const serviceClock = { now: () => Math.round(clock.now() + ahead), elapsed: clock.elapsed };
  const lacking = new Set<Scope>();
  let isRejected = false;
  let nextLoadAt = Number.NEGATIVE_INFINITY;
  let ahead = 0;
  let pages: Pages | undefined;
  let last:
    | { readonly contents: CatalogueContents; readonly at: number; readonly tag: string | null }
    | undefined;
  let spikeLists: ReadonlyMap<number, readonly Spike[]> = new Map();
  const windows = new Map([[defaultWindow, Number.POSITIVE_INFINITY]]);

  /** Waits if the quota of this minute is used up. */
  const pace = async (): Promise<void> => {
    const { minute } = service.quota;
    if (minute === undefined || minute.remaining > 0) return;
    const seconds = Math.ceil((minute.reset.getTime() - serviceClock.now()) / 1_000);
    if (seconds > 0) await service.sleep(seconds);
  };

  const readPage = async (path: string, scope: Scope, retries: boolean) => {
    const { body } = await ask(path, retries).catch((failure: ApiError) => {
      if (failure.status === 401) isRejected = true;
      if (failure.code === 'insufficient_scope') {
        lacking.add(scope);
        isRejected = false;
      }
      throw failure;
    });
    lacking.delete(scope);
    isRejected = false;
    const found = page.safeParse(body);
    if (!found.success) throw new ApiError(`${path}: not a list of the service`);
    return found.data;
  };

  /** Returns `undefined` if the key lacks the scope. */
  const load = async (path: string, scope: Scope) => {
    await pace();
    return readPage(path, scope, true).catch((failure: ApiError) => {
      if (failure.code === 'insufficient_scope') return undefined;
      if (failure.code === 'invalid_cursor') pages = undefined;
      throw failure;
    });
  };

  const loadArtists = async (tag: string | null): Promise<readonly unknown[] | undefined> => {
    const isSame = tag !== null && pages?.tag === tag;
    const reading: Pages = (isSame && pages) || { tag, items: [], cursor: '' };
    pages = reading;
    while (reading.cursor !== null) {
      const after = reading.cursor === '' ? '' : `&cursor=${encodeURIComponent(reading.cursor)}`;
      const found = await load(`${artistsPath}?limit=${pageSize}${after}`, 'artists:read');
      if (found === undefined) {
        lacking.add('signings:read'); // signings are made of artists
        return undefined;
      }
      if (found.meta.next_cursor === reading.cursor)
        throw new ApiError('a page names itself as the next page');
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

  const loadAll = async (tag: string | null): Promise<CatalogueContents> => {
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

  /** Allows a tenth of the day's loads at any time, and spreads the others evenly. */
  const spread = (artists: number) => {
    const { minute, day } = service.quota;
    const perDay = day?.limit ?? (minute && 24 * minute.limit) ?? defaultPerDay;
    const requests = Math.max(1, Math.ceil(artists / pageSize)) + 1 + windows.size;
    const loads = Math.max(1, Math.floor((shareOfDay * perDay) / requests));
    const burst = Math.floor(loads / 10);
    const intervalMs = dayMs / (loads - burst);
    return { intervalMs, burstMs: burst * intervalMs };
  };

  const source: CatalogueSource = {
    async load() {
      const sentAt = clock.now();
      const { headers, body } = await ask(healthPath, false);
      const tag = headers.get('ETag');
      const found = health.safeParse(body);
      if (!found.success) throw new ApiError(`${healthPath}: not the health of the service`);
      ahead = found.data.generated_at - (sentAt + clock.now()) / 2;
      if (last !== undefined && !isRejected) {
        const isChanged = tag !== last.tag || tag === null;
        const isDue = isChanged || clock.elapsed() - last.at >= maxAgeMs;
        const isAllowed =
          !isPaced || nextLoadAt - clock.elapsed() <= spread(last.contents.artists.length).burstMs;
        if (!isDue || !isAllowed) return last.contents;
      }
      const contents = await loadAll(tag);
      const { intervalMs } = spread(contents.artists.length);
      nextLoadAt = Math.max(nextLoadAt, clock.elapsed()) + intervalMs;
      last = { contents, at: clock.elapsed(), tag };
      return contents;
    },
  };

  const readSpikes = async (days: number): Promise<readonly Spike[]> => {
    const { data } = await readPage(spikesPath(days), 'spikes:read', false).catch(
      (failure: ApiError) => {
        const { code, message, retryAfter } = failure;
        const kind = problemKinds[code];
        if (kind === undefined) throw dataUnavailable(failure);
        throw new Problem(kind, message, retryAfter === undefined ? {} : { retryAfter });
      },
    );
    const list = spikesOf(data);
    spikeLists = new Map([...spikeLists, [days, list]]);
    return list;
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
    access: () => ({ isRejected, lacking }),
    clock: serviceClock,
  };
};

export type RemoteCatalogue = ReturnType<typeof createRemoteCatalogue>;
