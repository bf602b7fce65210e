/**
 * A client of the Artist Intelligence API, current form: a program, and a library.
 *
 *   export ARTIST_API_KEY=aik_…
 *   node artist-api.ts list                      prints every artist: identifier, tab, name
 *   node artist-api.ts poll --state seen.json    prints who is added, every 15 minutes
 *   node artist-api.ts --help                    shows the other commands
 *
 *   import { ApiError, Client } from './artist-api.ts';
 *   const client = new Client();                 // or new Client({ url, key, wait: true, timeout: 30 })
 *   for await (const artist of client.artists({ tier: 'breaking', include: 'history' }))
 *     console.log(artist.name, artist.history);
 *
 * A method resolves with a complete result, or rejects with an ApiError for a refused or failed
 * request. `new Client` throws a TypeError for an invalid key or address. A method waits for quotas
 * and outages, at most 5 minutes per request. It prints one line on standard error while it waits,
 * and in the last 30 days of the key; the option `notice` receives these lines instead.
 *
 * Needs no packages, and Node 22.18, which runs TypeScript directly (artist-api.mjs: Node 20.19).
 * SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  ApiError,
  end,
  FileError,
  healthPath,
  isRecord,
  parseArguments,
  parseJson,
  partialHistory,
  printable,
  type Quota,
  type Reply,
  reasonOf,
  run,
  Service,
  type ServiceOptions,
  sleep,
} from '../shared/http.ts';

/** Named fields, and others that may be added at any time. */
type Open<Names extends string, Value> = { readonly [name in Names]?: Value } & {
  readonly [name: string]: Value;
};

/** A value on one day (UTC). Without flags it is trusted. */
export interface HistoryPoint {
  readonly date: string;
  readonly value: number;
  readonly estimated?: true;
  readonly stale?: true;
  readonly terminal?: true;
}

/** Points by metric, oldest first. */
export type History = Readonly<Record<string, readonly HistoryPoint[]>>;

export interface Song {
  readonly id: string;
  readonly name: string;
  readonly artwork?: string;
  readonly preview_url?: string;
  readonly source_url?: string;
  readonly tiktok_url?: string;
  readonly added_at?: string;
  readonly metrics: Open<'streams' | 'ugc_tiktok' | 'ugc_instagram', number>;
  readonly history?: History;
  readonly rights?: { readonly p_line?: string; readonly checked_at?: string };
}

export interface SigningState {
  readonly status?: string;
  readonly note?: string;
}

/** Unknown fields are absent. */
export interface Artist {
  readonly id: string;
  readonly name: string;
  readonly photo_url?: string;
  readonly genres?: readonly string[];
  readonly country_code?: string;
  readonly date_added?: string;
  readonly tier?: string;
  readonly status: Open<'active' | 'verified' | 'shortlisted' | 'claimed', boolean>;
  readonly signing: SigningState;
  readonly links: Open<'spotify' | 'tiktok' | 'instagram' | 'youtube' | 'website', string>;
  readonly metrics: Open<
    | 'spotify_streams'
    | 'monthly_listeners'
    | 'tiktok_followers'
    | 'instagram_followers'
    | 'social_score',
    number
  >;
  readonly songs: readonly Song[];
  /** With `include: 'history'`. */
  readonly history?: History;
  readonly freshness: Open<'metrics' | 'songs' | 'history' | 'signing', string>;
  readonly provenance: { readonly sources?: readonly string[]; readonly method?: string };
  readonly data_quality: {
    readonly complete?: boolean;
    readonly missing_metrics?: readonly string[];
    readonly estimated_points?: number;
    readonly warnings?: readonly string[];
  };
  readonly editorial?: {
    readonly scouting_report?: string;
    readonly highlights?: readonly string[];
    readonly updated_at?: string;
  };
}

export type ArtistWithHistory = Artist & { readonly history: History };

export interface Engine {
  readonly name: string;
  readonly version: string;
}

export interface Spike {
  readonly artist_id: string;
  readonly artist_name: string;
  readonly metric: string;
  readonly previous: number;
  readonly current: number;
  readonly delta: number;
  readonly percent_change: number;
  readonly window: { readonly days: number; readonly from: string; readonly to: string };
  readonly engine: Engine;
  readonly links: { readonly tiktok?: string };
}

export interface Signing {
  readonly artist_id: string;
  readonly artist_name: string;
  readonly signing: SigningState;
  readonly label_songs: readonly {
    readonly song_id: string;
    readonly song_name: string;
    readonly p_line: string;
    readonly label_detected: string;
    readonly checked_at?: string;
  }[];
  readonly total_label_songs: number;
  readonly basis: readonly ('reviewed_status' | 'label_p_line')[];
}

export interface ListMeta {
  readonly api_version: string;
  readonly count: number;
  readonly next_cursor: string | null;
  readonly generated_at: string;
  readonly request_id: string;
}

export interface List<Item, Meta = ListMeta> {
  readonly data: readonly Item[];
  readonly meta: Meta;
}

export interface Filters {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly tier?: string | undefined;
  /** The first day, `2026-11-25`. */
  readonly added_since?: string | undefined;
  readonly include?: 'history' | undefined;
}

export interface Answer<Body> extends Reply {
  readonly body: Body;
}

type Values = Readonly<Record<string, string | number | undefined>>;

const pathWith = (path: string, values: Values): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) query.set(name, `${value}`);
  return query.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
};

/** The service in the current form. */
export class Client extends Service {
  constructor(options: ServiceOptions = {}) {
    // For a variant key that may override its form.
    super('artist-api.ts', {
      ...options,
      headers: { 'X-Envelope': 'current', ...options.headers },
    });
  }

  async #read(path: string, values: Values, tag?: string | null): Promise<Reply> {
    const headers: Record<string, string> = tag ? { 'If-None-Match': tag } : {};
    const reply = await this.ask(pathWith(path, values), headers);
    // Health is the same in both forms, even with a refused key.
    if (reply.headers.get('X-Envelope-Served') === 'variant' && path !== healthPath)
      throw new ApiError(
        `This key has the variant form, and this client reads the current form: see ${this.url}/docs/migration`,
        reply,
      );
    if (!isRecord(reply.body) && !(tag && reply.status === 304)) throw this.errorOf(reply);
    return reply;
  }

  /** The response to any path: its `body`, an unchecked object, and its `headers`. */
  async get<Body>(path: string, values: Values = {}): Promise<Answer<Body>> {
    return (await this.#read(path, values)) as Answer<Body>; // by the contract
  }

  /** Throws for a response that is no list of objects with this field. */
  #checkList<Item, Meta>(reply: Reply, identifier: string & keyof Item): Answer<List<Item, Meta>> {
    const { data, meta } = isRecord(reply.body) ? reply.body : {};
    const isList =
      Array.isArray(data) &&
      data.every((item) => isRecord(item) && typeof item[identifier] === 'string');
    const cursor = isRecord(meta) ? meta['next_cursor'] : undefined;
    if (!isList || (cursor !== null && typeof cursor !== 'string')) throw this.errorOf(reply);
    return reply as Answer<List<Item, Meta>>; // other fields by the contract
  }

  /**
   * Requests pages of artists as they are needed. With the ETag of an earlier first page as `tag`
   * there is no page if the first is unchanged.
   */
  async *pages(
    filters: Filters = {},
    pageSize = 100,
    tag: string | null = null,
  ): AsyncGenerator<Answer<List<Artist>>, void> {
    let cursor: string | undefined;
    do {
      const values = { limit: pageSize, ...filters, cursor };
      const reply = await this.#read('/api/v1/artists', values, cursor === undefined ? tag : null);
      if (reply.status === 304) return;
      const page = this.#checkList<Artist, ListMeta>(reply, 'id');
      const next = page.body.meta.next_cursor ?? undefined;
      if (next !== undefined && next === cursor)
        throw new ApiError('A page names itself as the next page.', reply);
      yield page;
      cursor = next;
    } while (cursor !== undefined);
  }

  /** Yields each artist once, page by page. */
  artists(
    filters: Filters & { readonly include: 'history' },
    pageSize?: number,
  ): AsyncGenerator<ArtistWithHistory, void>;
  artists(filters?: Filters, pageSize?: number): AsyncGenerator<Artist, void>;
  async *artists(filters: Filters = {}, pageSize = 100): AsyncGenerator<Artist, void> {
    const seen = new Set<string>(); // an artist whose date_added changes in between is on two pages
    for await (const { body, headers } of this.pages(filters, pageSize)) {
      if (filters.include === 'history') this.#checkHistories(headers);
      for (const artist of body.data) {
        if (!seen.has(artist.id)) yield artist;
        seen.add(artist.id);
      }
    }
  }

  /** The service sends no ETag while it cannot read a part of the histories. */
  #checkHistories(headers: Headers): void {
    if (headers.has('ETag')) return;
    this.tellOnce('history', partialHistory);
  }

  /** An artist with its history. Rejects with an ApiError with status 404 for an unknown id. */
  async artist(id: string): Promise<ArtistWithHistory> {
    const reply = await this.get<{ data?: ArtistWithHistory }>(
      `/api/v1/artists/${encodeURIComponent(id)}`,
    );
    if (typeof reply.body.data?.id !== 'string') throw this.errorOf(reply);
    this.#checkHistories(reply.headers);
    return reply.body.data;
  }

  /** The artists added on a day, `2026-11-25`, or later. `/added` returns at most 100. */
  addedSince(day: string): AsyncGenerator<Artist, void> {
    return this.artists({ added_since: day });
  }

  async spikes(days?: number) {
    type Meta = ListMeta & { readonly window: { readonly days: number }; readonly engine: Engine };
    const { body } = this.#checkList<Spike, Meta>(
      await this.#read('/api/v1/spikes', { days }),
      'artist_id',
    );
    return { items: body.data, window: body.meta.window, engine: body.meta.engine };
  }

  async signings(): Promise<readonly Signing[]> {
    const reply = await this.#read('/api/v1/signings', {});
    return this.#checkList<Signing, ListMeta>(reply, 'artist_id').body.data;
  }

  /** The day of the service (UTC), without using the quota. This machine's clock may be wrong. */
  async today(): Promise<string> {
    const reply = await this.get<{ generated_at?: unknown }>(healthPath);
    const day = String(reply.body.generated_at).slice(0, 10);
    if (!isDay(day)) throw this.errorOf(reply);
    return day;
  }
}

/** True for a day, YYYY-MM-DD, that has a day before it in Python too, whose first is 0001-01-01. */
const isDay = (text: unknown): text is string => {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text); // 03-02 for 02-30
  const isWritten = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isWritten && text > '0001-01-01';
};

const dayBefore = (day: string): string =>
  new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** Prints texts as one line, separated by tabs. Rejects if it cannot be written. */
const printLine = (...texts: readonly unknown[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const { stdout } = process;
    stdout.once('error', reject); // without a listener it ends the process
    const line = texts.map((text) => printable(`${text ?? ''}`)).join('\t');
    stdout.write(`${line}\n`, (failure) => {
      if (failure) return;
      stdout.off('error', reject);
      resolve();
    });
  });

interface State {
  readonly day: string | undefined;
  readonly seen: ReadonlySet<string>;
}

const unwritable = (file: string, failure: unknown): unknown =>
  failure instanceof Error && 'syscall' in failure
    ? new FileError(`${file} cannot be written: ${reasonOf(failure)}.`, { cause: failure })
    : failure;

const isRunning = (pid: string): boolean => {
  if (!/^\d{1,9}$/.test(pid) || Number(pid) === process.pid) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === 'EPERM';
  }
};

/**
 * Creates and locks a state: FILE.lock has the number of this process. Returns the path of the
 * file. Throws a FileError during another run, and if the file or its folder cannot be written.
 */
const lockState = (file: string): string => {
  try {
    appendFileSync(file, '');
    const place = realpathSync.native(file);
    const lock = `${place}.lock`;
    const pid = existsSync(lock) ? readFileSync(lock, 'utf8') : '';
    if (isRunning(pid))
      throw new FileError(`Process ${pid} uses ${file}. If that is no poll, remove ${lock}.`);
    rmSync(lock, { force: true });
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' });
    return place;
  } catch (failure) {
    throw unwritable(file, failure);
  }
};

const readState = (file: string): State => {
  const text = readFileSync(file, 'utf8');
  if (text === '') return { day: undefined, seen: new Set() };
  const state = parseJson(text);
  const { day, seen } = isRecord(state) ? state : {};
  if (!isDay(day) || !Array.isArray(seen) || !seen.every((id) => typeof id === 'string'))
    throw new FileError(`${file} is not a file that poll has written.`);
  return { day, seen: new Set(seen) };
};

/** Writes the file completely or not at all. Throws a FileError. */
const writeState = (place: string, { day, seen }: State): void => {
  const part = `${place}.${process.pid}`;
  try {
    writeFileSync(part, JSON.stringify({ day, seen: [...seen] }), { flush: true });
    try {
      renameSync(part, place);
    } catch {
      copyFileSync(part, place); // a file mounted into a container
    }
  } catch (failure) {
    throw unwritable(place, failure);
  } finally {
    rmSync(part, { force: true });
  }
};

/**
 * Yields the artists added since the last poll, every 15 minutes. That is 96 of 1,000 requests a
 * day, unless two days have more than a page. It reads from the day before the last poll, and
 * writes the state after the loop took every artist of a poll. Only 400, 401, 403 and 404 of the
 * service end it. After other failures it continues with the next poll.
 */
export async function* poll(
  client: Client,
  {
    state: file,
    polls = Number.POSITIVE_INFINITY,
    pageSize = 100,
  }: {
    readonly state?: string | undefined;
    readonly polls?: number | undefined;
    readonly pageSize?: number;
  } = {},
): AsyncGenerator<Artist, void> {
  const place = file === undefined ? undefined : lockState(file);
  try {
    let { day, seen }: State = place ? readState(place) : { day: undefined, seen: new Set() };
    let last: { readonly since: string; readonly tag: string | null } | undefined;
    for (let turn = 1; ; turn++) {
      const pages: Answer<List<Artist>>[] = [];
      try {
        const today = await client.today();
        const since = dayBefore(day ?? today);
        const tag = last?.since === since ? last.tag : null;
        for await (const page of client.pages({ added_since: since }, pageSize, tag))
          pages.push(page);
        // The tag of a first page says nothing about further pages.
        if (pages.length > 0)
          last = {
            since,
            tag: pages.length === 1 ? (pages[0]?.headers.get('ETag') ?? null) : null,
          };
        day = today;
      } catch (failure) {
        if (!(failure instanceof ApiError) || turn >= polls || isFinal(failure)) throw failure;
        client.notice(`${failure.message}: next poll in 15 minutes`);
        await client.sleep(15 * 60);
        continue;
      }
      const artists = new Map(
        pages.flatMap(({ body }) => body.data.map((artist) => [artist.id, artist] as const)),
      );
      for (const artist of artists.values()) if (!seen.has(artist.id)) yield artist;
      if (pages.length > 0) seen = new Set(artists.keys());
      if (place) writeState(place, { day, seen });
      if (turn >= polls) return;
      await client.sleep(15 * 60);
    }
  } finally {
    if (place) rmSync(`${place}.lock`, { force: true });
  }
}

const isFinal = ({ fromService, status }: ApiError): boolean =>
  fromService && [400, 401, 403, 404].includes(status);

const usage = `artist-api.ts COMMAND [options]

  list                print every artist: identifier, tab, name
  artist ID           print an artist with its history, as a line of JSON
  spikes              print spikes: identifier, name, metric, growth in percent
  signings            print signed artists: identifier, name, status, songs with a label
  poll                print who was added since yesterday (UTC), every 15 minutes. After a restart it
                      may print one poll again; without --state all of the last two days. It misses
                      an artist that is entered late, with an earlier date_added or none: use copy
                      of artist_api.py if you need every artist

  --state FILE        poll: remember printed artists in a file
  --polls N           poll: stop after N polls.
                      From cron: poll --polls 1 --state /full/path/seen.json
  --days N            spikes: days that are compared (3)
  --base-url URL      address of the service (ARTIST_API_URL)
  --page-size N       artists per request (100)
  --timeout S         seconds for a response (30)
  --wait              wait for a quota without a limit, instead of 5 minutes
  --wait-factor X     multiplies every wait: 0.01 for a trial
  --help

The key is in the variable ARTIST_API_KEY, a proxy in HTTPS_PROXY (from Node 22.21 and with
NODE_USE_ENV_PROXY=1).`;

const options = {
  state: { type: 'string' },
  polls: { type: 'string' },
  days: { type: 'string' },
  'base-url': { type: 'string' },
  'page-size': { type: 'string', default: '100' },
  timeout: { type: 'string', default: '30' },
  wait: { type: 'boolean', default: false },
  'wait-factor': { type: 'string', default: '1' },
  help: { type: 'boolean' },
} as const;

const readNumber = (option: string, text: string, kind = 'number'): number => {
  const pattern = kind === 'number' ? /^[\d.e+-]+$/i : /^\d+$/;
  const number = pattern.test(text) ? Number(text) : 0;
  return number > 0 && number < 1e9
    ? number
    : end(`--${option} takes a ${kind} above 0 and below 1e9. See --help.`);
};

const main = async (): Promise<void> => {
  const { positionals, values } = parseArguments(options);
  if (values.help) return console.log(usage);
  const [command = '', id = '', ...others] = positionals;
  if ((id !== '') !== (command === 'artist') || others.length > 0)
    end('Give one command, and artist one ID. See --help.');
  const readCount = (name: 'polls' | 'days') => {
    const text = values[name];
    return text === undefined ? undefined : readNumber(name, text, 'whole number');
  };
  const [polls, days] = [readCount('polls'), readCount('days')];
  const pageSize = readNumber('page-size', values['page-size'], 'whole number');
  const factor = readNumber('wait-factor', values['wait-factor']);
  const client = new Client({
    url: values['base-url'],
    wait: values.wait,
    timeout: readNumber('timeout', values.timeout),
    sleep: (seconds) => sleep(seconds * factor),
  });
  if (command === 'artist') await printLine(JSON.stringify(await client.artist(id)));
  else if (command === 'spikes')
    for (const spike of (await client.spikes(days)).items)
      await printLine(spike.artist_id, spike.artist_name, spike.metric, spike.percent_change);
  else if (command === 'signings')
    for (const { artist_id, artist_name, signing, total_label_songs } of await client.signings())
      await printLine(artist_id, artist_name, signing?.status, total_label_songs);
  else if (command === 'poll')
    for await (const { id, name } of poll(client, { state: values.state, polls, pageSize }))
      await printLine(id, name);
  else if (command === 'list')
    for await (const { id, name } of client.artists({}, pageSize)) await printLine(id, name);
  else end('Give a command: list, artist, spikes, signings or poll. See --help.');
};

export { ApiError, type Quota };

/**
 * Runs `main` if Node was started with this module: a file, a link to it, or standard input. An
 * application that bundles the module does not export `Client`.
 */
const runAsProgram = async (): Promise<void> => {
  const { url } = import.meta;
  if (!/\[(?:eval|stdin)\d*\]$/.test(url)) {
    const [, program = '-'] = process.argv;
    if (!existsSync(program)) return;
    const places = [program, realpathSync(program)].map((file) => pathToFileURL(file).href);
    if (!places.includes(url) || !('Client' in (await import(url)))) return;
  }
  // Process 1 of a container ignores a signal without a handler.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  await run(main);
};

void runAsProgram();
