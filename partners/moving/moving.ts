/**
 * Answers requests of the variant form from a gateway that it asks in the current form, for a
 * program that keeps its parser.
 *
 * For a program in any language, which only gets another address, http://127.0.0.1:8081:
 *
 *   ARTIST_API_KEY=aik_… node moving.ts serve --ids ids.csv --labels labels.txt
 *
 * The key is of the current form, or may choose its form; only programs of this machine are
 * answered. `ids.csv` is the list of identifiers that we sent you, `labels.txt` has a tracked label
 * a line; `--partner` takes the name in `_meta.authenticated_as`. To prove that nothing changes, let
 * `--record calls.txt` write down what your program asks for, and compare the answers of both forms
 * to that, with a key that may choose its form:
 *
 *   ARTIST_API_KEY=aik_… node moving.ts check calls.txt --ids ids.csv --labels labels.txt
 *
 * A line may have the call that your program sends instead behind it, `-` for none, and `{today-14}`
 * in it for a day; `check` then asks that:
 *
 *   /api/v1/artists?new=14&tier=watch /api/v1/artists?added_since={today-14}&tier=watch&limit=100
 *
 * `serve --without photo` leaves a member out: a program that does not miss it need not change for
 * it. See --help. For a program in TypeScript, as a library:
 *
 *   const documentIds = new Map(rows.map(({ current, variant }) => [current, variant]));
 *   const given = { documentIds, labelsTracked: ['Sony Music'], partner: 'Acme Radio' };
 *   const { status, body } = await askAsVariant('/api/v1/artists?new=7&fields=basic', send, given);
 *
 * `send` is your transport: it sends a GET with your key, and resolves with the status and the
 * parsed body. A request of the variant form becomes one, or as many as there are pages of 100
 * artists; with `new=`, one for health, which spends no quota, comes first. `adjustedOf` is what
 * the header `X-Params-Adjusted` says.
 *
 * Needs no packages, and Node 22.18 or later, which runs TypeScript directly (moving.mjs: Node
 * 20.19). SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ApiError,
  end,
  FileError,
  isProgram,
  isRecord,
  nowOf,
  parseArguments,
  printable,
  type Quota,
  type Reply,
  run,
  Service,
  SettingError,
  secondsOf,
  windowOf,
} from '../shared/http.ts';

/** The body is what `JSON.parse` returns. */
export type Answer = { readonly status: number; readonly body: unknown };
export type Send = (target: string) => Promise<Answer>;

/** What no answer of the current form has. */
export type Given = {
  /**
   * The identifier in the variant form by that in the current form. An artist that is missing here
   * keeps the latter.
   */
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labelsTracked: readonly string[];
  /** The name in `_meta.authenticated_as`. */
  readonly partner: string;
};

/** A request of the variant form, and what is sent instead: `-` for nothing, empty if not said. */
type Call = { readonly target: string; readonly instead: string };

/**
 * The members that are not derived: they are given, or differ between any two answers. `message` is
 * a text for people.
 */
export const notDerived = [
  'data[].id',
  '_meta.authenticated_as',
  '_meta.labels_tracked[]',
  '_meta.timestamp',
  'message',
] as const;

// The members of the current form that are read here.
type Song = { id: string; name: string; artwork?: string; metrics: Record<string, number> };
type Named = {
  name: string;
  photo_url?: string;
  date_added?: string;
  tier?: string;
  links: object;
  metrics: object;
};
type Artist = Named & {
  id: string;
  songs: Song[];
  signing: Signed;
  editorial?: { scouting_report?: string };
};
type Signed = { status?: string };
type Growth = {
  metric: string;
  previous: number;
  current: number;
  delta: number;
  percent_change: number;
};
type Spike = Growth & { artist_name: string; window: { days: number }; links: { tiktok?: string } };
type LabelSong = { song_name: string; p_line: string; label_detected: string };
type Signing = {
  artist_name: string;
  signing: Signed;
  label_songs: LabelSong[];
  total_label_songs: number;
};
type Meta = {
  api_version: string;
  generated_at: string;
  next_cursor: string | null;
  window: { days: number };
};
type Page<Item> = { data: Item[]; meta: Meta };

const errors = new Map<string, readonly [status: number, code: string]>([
  ['unauthorized', [401, 'unauthorized']],
  ['insufficient_scope', [401, 'unauthorized']],
  ['not_found', [404, 'not_found']],
  ['method_not_allowed', [405, 'method_not_allowed']],
  ['rate_limited', [429, 'rate_limited']],
  ['quota_exceeded', [429, 'rate_limited']],
]);

const errorOf = (code: string, message: string): Answer => {
  const [status, error] = errors.get(code) ?? [500, 'server_error'];
  return { status, body: { error, message: message.replace(/aik_\w+/g, 'aik_…') } };
};

/** An error of the current form as the variant form reports it. */
const variantError = ({ body }: Answer): Answer => {
  // by the contract; a proxy may answer otherwise
  const { error } = (body ?? {}) as { error?: { code: string; message: string } };
  return errorOf(error?.code ?? '', `${error?.message ?? 'The answer is not one of the gateway.'}`);
};

const toArtist = (artist: Artist, isBasic: boolean, { documentIds }: Given) => ({
  id: documentIds.get(artist.id) ?? artist.id,
  name: artist.name,
  photo: artist.photo_url,
  date_added: artist.date_added,
  signed_status: artist.signing.status ?? 'unknown',
  tier: artist.tier,
  links: artist.links,
  metrics: artist.metrics,
  songs: isBasic ? undefined : artist.songs.map(toSong),
  scouting_report: isBasic ? undefined : artist.editorial?.scouting_report,
  total_songs: artist.songs.length,
});

const toSong = ({ id, name, artwork, metrics: { streams, ugc_tiktok, ugc_instagram } }: Song) => {
  return { id, name, streams, ugc_tiktok, ugc_instagram, artwork };
};

const toSpike = ({
  artist_name,
  metric,
  previous,
  current,
  delta,
  percent_change,
  window,
  links,
}: Spike) => {
  const growth = { metric, previous, current, delta, percent_change };
  return { artist_name, ...growth, period_days: window.days, tiktok: links.tiktok };
};

const toSigning = ({ artist_name, signing, label_songs, total_label_songs }: Signing) => ({
  artist_name,
  signed_status: signing.status ?? 'unknown',
  label_songs: label_songs.map(({ song_name, p_line, label_detected }) => ({
    song_name,
    pline: p_line,
    label_detected,
  })),
  total_label_songs,
});

const listOf = (
  data: object[],
  meta: Meta,
  { partner }: Given,
  more: object = {},
  moreMeta: object = {},
): Answer => {
  const _meta = {
    api_version: meta.api_version,
    authenticated_as: partner,
    timestamp: meta.generated_at,
    ...moreMeta,
  };
  return { status: 200, body: { success: true, count: data.length, ...more, data, _meta } };
};

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

const isWithin = (day: string | undefined, from: string, to: string): boolean =>
  day !== undefined && day >= from && day <= to;

const parameters = new Map<string, readonly string[]>([
  ['/api/v1/artists', ['id', 'new', 'tier', 'signed', 'fields', 'limit']],
  ['/api/v1/spikes', ['days']],
  ['/api/v1/signings', []],
]);
const healthPath = '/api/v1/health';
const cannotChoose = 'ARTIST_API_KEY may not choose its form: ask us to let it';
const longestQuery = 2_048; // bytes
const dayPattern = /\{today(?:-(\d{1,5}))?\}/g; // in a call that is sent instead

/**
 * What counts for each parameter, `undefined` where it cannot be understood, and so matches
 * nothing.
 */
type Query = ReadonlyMap<string, string | number | undefined>;

/** A number out of range counts as the nearest one, another text as the default. */
const numberOf = (text: string, max: number, fallback: number): number =>
  /^[0-9]+$/.test(text) ? Math.min(Math.max(Number(text), 1), max) : fallback;

/** What counts for the text of a parameter. */
const usedOf = (name: string, text: string): string | number | undefined => {
  if (name === 'limit') return numberOf(text, 200, 100);
  if (name === 'days') return numberOf(text, 30, 3);
  if (name === 'new')
    return /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
  if (name === 'fields') return text === 'basic' ? text : 'all';
  if (name === 'tier') return tiers.includes(text) ? text : undefined;
  if (name === 'signed') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : undefined;
  return text === '' ? undefined : text;
};

/** Whether what counts is not what a text says. */
const isRepaired = (name: string, text: string, used: string | number | undefined): boolean =>
  used === undefined ||
  (typeof used === 'number'
    ? !/^[0-9]+$/.test(text) || used !== Number(text)
    : name === 'fields' && used === 'all');

/** What counts for each parameter of a query, and what was repaired. */
const readQuery = (path: string, text: string): { query: Query; adjusted: readonly string[] } => {
  if (text.length > longestQuery)
    return { query: new Map([['query', undefined]]), adjusted: ['query=none'] };
  const sent = new URLSearchParams(`&${text}`);
  const known = parameters.get(path) ?? [];
  const query = new Map<string, string | number | undefined>();
  const adjusted: string[] = [];
  for (const name of known) {
    const [value, ...others] = sent.getAll(name);
    if (value === undefined) continue;
    const used = usedOf(name, value);
    query.set(name, used);
    const told = name === 'id' || name === 'tier' ? 'first' : used;
    if (others.length > 0 || isRepaired(name, value, used))
      adjusted.push(`${name}=${used === undefined ? 'none' : told}`);
  }
  const unknown = new Set([...sent.keys()].filter((name) => !known.includes(name))).size;
  return { query, adjusted: unknown === 0 ? adjusted : [...adjusted, `unknown=${unknown}`] };
};

/** The path of a target, and what comes after its first question mark. */
const split = (target: string): readonly [path: string, text: string] => {
  const [path = '', ...rest] = target.split('?');
  return [path, rest.join('?')];
};

/**
 * What `X-Params-Adjusted` says of a request of the variant form; empty where that has no such
 * header.
 */
export const adjustedOf = (target: string): string => {
  const [path, text] = split(target);
  return parameters.has(path) ? readQuery(path, text).adjusted.join(', ') : '';
};

/** The day so many days before an instant, and not before the first of the calendar. */
const dayBefore = (instant: string, days: number): string =>
  new Date(Math.max(Date.parse(instant) - days * 86_400_000, Date.parse('0001-01-01')))
    .toISOString()
    .slice(0, 10);

/** Whether an artist fulfils the filters at an instant. */
const passes = (artist: Artist, query: Query, now: string): boolean =>
  (!query.has('tier') || artist.tier === query.get('tier')) &&
  (!query.has('signed') ||
    (artist.signing.status === 'signed') === (query.get('signed') === 'true')) &&
  (!query.has('new') ||
    isWithin(artist.date_added, dayBefore(now, Number(query.get('new'))), now.slice(0, 10)));

const isNothing = (query: Query): boolean => [...query.values()].includes(undefined);

/**
 * Joins as many pages of the current form as it takes. What the current form has no filter for is
 * left out here.
 */
const askArtists = async (
  query: Query,
  send: Send,
  given: Given,
  instead: string,
): Promise<Answer> => {
  const id = query.get('id');
  const isOwn = instead === '';
  const isEmpty = isOwn && isNothing(query);
  const wanted = isEmpty ? 0 : Number(query.get('limit') ?? 100);
  const isThinned = query.has('signed') || query.has('new');
  const hasPages = isOwn || isThinned || wanted > 100;
  const asked = new URLSearchParams({
    limit: String(isThinned ? 100 : Math.min(Math.max(wanted, 1), 100)),
  });
  const variantIdOf = (own: string): string => given.documentIds.get(own) ?? own;
  if (id !== undefined) {
    const pair = [...given.documentIds].find(([, documentId]) => documentId === id);
    asked.set('id', pair?.[0] ?? String(id));
  } else if (isOwn && !isEmpty) {
    if (query.has('tier')) asked.set('tier', String(query.get('tier')));
    if (query.has('new')) {
      const health = await send(healthPath); // the gateway's day, for no quota
      if (health.status !== 200) return variantError(health);
      const { generated_at } = health.body as { generated_at: string };
      asked.set('added_since', dayBefore(generated_at, Number(query.get('new'))));
    }
  }
  const filters = new Map(query);
  if (!isOwn && id === undefined) {
    filters.delete('tier'); // which the call has to ask for, as for the first day
    if (query.has('new')) filters.set('new', Number.MAX_SAFE_INTEGER);
  }
  const call = instead || `/api/v1/artists?${asked}`;
  const found = new Map<string, Artist>(); // one whose day is corrected meanwhile is on two pages
  let [page, cursor] = [call, ''];
  let first: Meta | undefined;
  for (;;) {
    const answer = await send(page);
    if (answer.status !== 200) return variantError(answer);
    const { data, meta } = answer.body as Page<Artist>;
    first ??= meta; // the next pages may be of another day
    const isList = isOwn || Array.isArray(data); // else one artist, of a path of its own
    // The identifier of the current form is none here, also where it is that of another artist.
    const isTaken = (one: Artist) => !isOwn || id === undefined || variantIdOf(one.id) === id;
    const artists = (isList ? data : [data].flat()).filter(isTaken);
    if (id !== undefined && artists.length === 0) {
      const isOther = given.documentIds.has(String(id));
      const other = isOther ? ' here: it is the identifier that the other form uses' : '';
      return errorOf('not_found', `No artist has this id${other}.`);
    }
    for (const artist of isEmpty ? [] : artists)
      if (!found.has(artist.id) && passes(artist, filters, first.generated_at))
        found.set(artist.id, artist);
    if (found.size >= wanted || !hasPages || !isList || meta.next_cursor === null) {
      const isBasic = query.get('fields') === 'basic';
      const kept = [...found.values()].slice(0, hasPages ? wanted : undefined);
      const listed = kept.map((artist) => toArtist(artist, isBasic, given));
      return listOf(listed, first, given);
    }
    if (typeof meta.next_cursor !== 'string' || meta.next_cursor === cursor)
      throw new TypeError('a page does not name the next one');
    cursor = meta.next_cursor;
    page = `${call}${call.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
  }
};

const askSpikes = async (query: Query, send: Send, given: Given): Promise<Answer> => {
  const answer = await send(`/api/v1/spikes?days=${query.get('days') ?? 3}`);
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body as Page<Spike>;
  return listOf(isNothing(query) ? [] : data.map(toSpike), meta, given, {
    period_days: meta.window.days,
  });
};

const askSignings = async (query: Query, send: Send, given: Given): Promise<Answer> => {
  const answer = await send('/api/v1/signings');
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body as Page<Signing>;
  return listOf(
    isNothing(query) ? [] : data.map(toSigning),
    meta,
    given,
    {},
    { labels_tracked: given.labelsTracked },
  );
};

/**
 * Answers a GET of the variant form: `target` is its path with its query. Rejects where `send` does,
 * and with a TypeError where an answer is not one of the current form.
 *
 * @param instead the call of the current form that a program sends for it. Then only that is asked,
 * and further pages and filters are added only where that form has no parameter for them.
 */
export const askAsVariant = async (
  target: string,
  send: Send,
  given: Given,
  instead = '',
): Promise<Answer> => {
  const [path, text] = split(target);
  const query = new Map(readQuery(path, text).query);
  if (instead !== '') query.delete('query');
  if (path === '/api/v1/artists') return askArtists(query, send, given, instead);
  const sendOnce: Send = (call) => send(instead || call);
  if (path === '/api/v1/spikes') return askSpikes(query, sendOnce, given);
  if (path === '/api/v1/signings') return askSignings(query, sendOnce, given);
  if (path === healthPath) {
    const health = await sendOnce(path);
    return health.status === 200 ? health : variantError(health);
  }
  if (!/^\/api\/v1\/(?:added|artists\/[^/]+)$/.test(path)) {
    const near = /^(?:\/+(?:api|rest|v\d+))*\/+(artists|spikes|signings|health)(?:\/.*)?$/i.exec(
      path,
    );
    const meant = near?.[1] ? ` Did you mean /api/v1/${near[1].toLowerCase()}?` : '';
    return errorOf('not_found', `There is nothing at this path.${meant}`);
  }
  const advice = path === '/api/v1/added' ? ': ask /api/v1/artists?new=.' : '.';
  const served = 'this request is served the variant form';
  return errorOf('not_found', `Only the current form has this path; ${served}${advice}`);
};

/** The members of answers, by the places where they stand: those of items after the list's name. */
export const members: readonly string[] = Object.entries({
  '': 'success count period_days data _meta status api_version generated_at error message',
  '_meta.': 'api_version authenticated_as timestamp labels_tracked',
  'artists.':
    'id name photo date_added signed_status tier links metrics songs scouting_report total_songs',
  'artists.links.': 'spotify tiktok instagram youtube website',
  'artists.metrics.':
    'spotify_streams monthly_listeners tiktok_followers instagram_followers social_score',
  'artists.songs.': 'id name streams ugc_tiktok ugc_instagram artwork',
  'spikes.': 'artist_name metric previous current delta percent_change period_days tiktok',
  'signings.': 'artist_name signed_status label_songs total_label_songs',
  'signings.label_songs.': 'song_name pline label_detected',
}).flatMap(([place, names]) => names.split(' ').map((name) => place + name));

/** The members that `artists.photo` or `photo` names. */
const membersNamed = (name: string): readonly string[] => {
  const found = members.filter((member) =>
    members.includes(name) ? member === name : member.endsWith(`.${name}`),
  );
  if (found.length > 0) return found;
  throw new SettingError(`There is no member ${name}: see moving.ts serve --list-members.`);
};

/** An answer to a request for a path without these members. */
const without = (
  value: unknown,
  leftOut: ReadonlySet<string>,
  path: string,
  place = '',
): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, leftOut, path, place));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const at = place + name === 'data' ? path.slice(path.lastIndexOf('/') + 1) : place + name;
      return leftOut.has(place + name) ? [] : [[name, without(member, leftOut, path, `${at}.`)]];
    }),
  );
};

/** The headers of an answer, as far as the last one of the current form tells them. */
const headersOf = (target: string, status: number, told?: Reply): Record<string, string> => {
  // Of the quotas of the current form the one with fewer requests left, since a client of the
  // variant form knows one only.
  const windows = (['', '-Day'] as const).flatMap((name) => (told && windowOf(told, name)) ?? []);
  const [window] = windows.sort((one, other) => one.remaining - other.remaining);
  const quota = [200, 404, 429].includes(status) ? window : undefined;
  const isTemporary = status === 429 || status === 500;
  const isKept = status === 200 && split(target)[0] !== healthPath;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': isKept ? 'private, no-cache' : 'no-store',
    Vary: 'Authorization, X-Envelope',
    'X-Content-Type-Options': 'nosniff',
    'X-Envelope-Served': 'variant',
    'X-Request-Id': told?.headers.get('X-Request-Id') ?? randomUUID(),
    'X-Params-Adjusted': status === 200 || status === 404 ? adjustedOf(target) || null : null,
    'X-RateLimit-Limit': quota?.limit,
    'X-RateLimit-Remaining': quota?.remaining,
    'X-RateLimit-Reset': quota && quota.reset.getTime() / 1000,
    'Retry-After': isTemporary ? ((told && secondsOf(told)) ?? (status === 429 ? 60 : null)) : null,
    'WWW-Authenticate': status === 401 ? 'Bearer' : null,
    Allow: status === 405 ? 'GET' : null,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value == null ? [] : [[name, `${value}`]])),
  );
};

/** What `serve` is given. */
type Serving = {
  readonly service: Service;
  readonly given: Given;
  /** Whether to wait for the quota, instead of answering 429. */
  readonly isWaiting: boolean;
  readonly leftOut: ReadonlySet<string>;
  readonly record: (target: string) => void;
};

/**
 * Answers a request of a program, and tells the last answer of the service too. Asks nothing once
 * the signal says that the program has gone. `pause` waits for the quota. Never rejects.
 */
const answerOf = async (
  method: string,
  target: string,
  { service, given, isWaiting }: Serving,
  signal: AbortSignal,
  pause: (seconds: number) => Promise<unknown>,
): Promise<Answer & { readonly told?: Reply | undefined }> => {
  let told: Reply | undefined;
  let lacking: Artist | undefined;
  const send: Send = async (path) => {
    for (;;) {
      await nextTurn(undefined, { signal });
      told = await service.send(path, { signal });
      const error = service.errorOf(told);
      if (told.headers.get('X-Envelope-Served') === 'variant') {
        if (told.status === 401) throw error; // a key that is revoked, say, in the form of the key
        throw new ApiError(`${cannotChoose}, or take a key of the current form.`);
      }
      if (!error.fromService || !isRecord(told.body)) throw error;
      if (told.status !== 429 || !isWaiting) {
        const { data } = told.body as Partial<Page<Artist>>;
        const artists = path.startsWith('/api/v1/artists?') ? data : undefined;
        lacking ??= artists?.find(({ id }) => !given.documentIds.has(id));
        return told;
      }
      const seconds = error.retryAfter ?? 60;
      service.notice(`${error.message}: waiting ${seconds} s`);
      await pause(seconds);
    }
  };
  if (method !== 'GET' && [...parameters.keys(), healthPath].includes(split(target)[0]))
    return errorOf('method_not_allowed', 'Only GET is supported.');
  try {
    const answered = await askAsVariant(target, send, given);
    const kept = 'which is served with its id of the current form: ask for a new list';
    if (lacking) service.tellOnce('ids', `ids.csv lacks ${lacking.id}, ${kept}.`);
    return { ...answered, told };
  } catch (failure) {
    // Whatever it is, the program that asked gets an answer.
    const isTold = failure instanceof ApiError;
    const why = isTold ? failure.message : `An answer is not one of the current form: ${failure}`;
    if (!signal.aborted) service.notice(printable(why));
    return { ...errorOf('', 'The service gave no answer that can be read.'), told };
  }
};

/**
 * Answers requests at an address, until Ctrl-C, but not those of a page in a browser: they say where
 * they come from, or, with a DNS name of its own (DNS rebinding), another Host.
 */
const serve = (host: string, port: number, serving: Serving): void => {
  const ownName = host.includes(':') ? `[${host}]` : host;
  const hosts = ['127.0.0.1', 'localhost', '[::1]', ownName.toLowerCase()];
  const isOwn = ({ headersDistinct: { host, origin, ...others } }: IncomingMessage): boolean =>
    hosts.includes((host ?? []).join().replace(/:\d*$/, '').toLowerCase()) &&
    origin === undefined &&
    (others['sec-fetch-site'] ?? ['none']).join() === 'none';
  const refusal = errorOf(
    'not_found',
    'Only programs of this machine are answered, which say so in Host.',
  );
  // Node refuses a request without Host by itself, in no form.
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const gone = new AbortController();
    const { socket } = request;
    const leave = (): void => gone.abort();
    response.once('close', leave);
    // A program may close its side once it has asked, as `nc -N` does. It counts as gone only where
    // it would have to wait.
    const pause = async (seconds: number): Promise<void> => {
      if (socket.readableEnded) leave();
      socket.once('end', leave);
      await serving.service.sleep(seconds, gone.signal);
      socket.off('end', leave);
    };
    const { method = '', url = '' } = request;
    const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
    if (method === 'GET' && isOwn(request)) serving.record(target);
    const { status, body, told } = isOwn(request)
      ? await answerOf(method, target, serving, gone.signal, pause)
      : { ...refusal, told: undefined };
    if (gone.signal.aborted) {
      response.destroy();
      return;
    }
    const { leftOut } = serving;
    const text = JSON.stringify(
      leftOut.size === 0 ? body : without(body, leftOut, split(target)[0]),
    );
    const length = { Connection: 'close', 'Content-Length': Buffer.byteLength(text) };
    response.writeHead(status, { ...headersOf(target, status, told), ...length }).end(text);
  });
  Object.assign(server, { httpAllowHalfOpen: true }); // not in the types of Node
  server.listen(port, host, () => {
    const address = server.address();
    const bound = typeof address === 'object' ? address?.port : port;
    console.log(
      `http://${ownName}:${bound} answers in the variant form from ${serving.service.url}`,
    );
  });
  server.on('error', ({ message }) =>
    end(`Cannot serve at --host ${host} --port ${port}: ${message}.`),
  );
  process.once('SIGINT', () => process.exit());
};

/** The text of a file. Throws a FileError where it is not UTF-8. */
const readText = (file: string): string => {
  const content = readFileSync(file);
  if (isUtf8(content)) return content.toString().replace(/^\uFEFF/, '');
  throw new FileError(`${file} must be UTF-8: save it in that encoding.`);
};

const linesOf = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => line !== '');

/**
 * What writes targets to a file, each once, also over several runs. A notice says once that this
 * fails: the requests are answered.
 */
const openRecord = (file: string, service: Service): ((target: string) => void) => {
  appendFileSync(file, '');
  const text = readText(file);
  const seen = new Set(linesOf(text));
  // Ends a line that another program, or a write that failed, left without an end.
  let start = text === '' || text.endsWith('\n') ? '' : '\n';
  return (target) => {
    if (seen.has(target) || /aik_\w/.test(target)) return; // a key is not stored
    try {
      appendFileSync(file, `${start}${target}\n`);
      seen.add(target);
      start = '';
    } catch (failure) {
      start = '\n';
      const why = `${file} cannot be written: ${(failure as Error).message}.`;
      service.tellOnce('record', `${why} Calls are answered, but not recorded.`);
    }
  };
};

/** The calls in a file, each once: a line each, perhaps behind GET and an address. */
const readCalls = (file: string): readonly Call[] => {
  const path = String.raw`(?:GET +)?(?:https?:\/\/[^/?\s]*)?(\/[\x21-\x7e]*)`;
  const pattern = new RegExp(String.raw`^${path}(?:\s+(?:${path}|(-)))?$`);
  const calls = new Map<string, Call>();
  const lines = readFileSync(file, 'utf8').split('\n'); // trim() takes a byte order mark too
  for (const [index, text] of lines.entries()) {
    const line = text.trim().replace(/aik_\w+/g, 'aik_…'); // a key is not printed
    const [, target, path = '', none = ''] = pattern.exec(line) ?? [];
    const instead = path + none;
    if (target !== undefined && !/[{}]/.test(instead.replace(dayPattern, '')))
      calls.set(`${target} ${instead}`, { target, instead });
    else if (line !== '') {
      const about = 'a path with its query, perhaps with the new call or - behind it';
      const told = printable(line).slice(0, 80);
      throw new FileError(`${file}, line ${index + 1}: ${told} is not ${about}.`);
    }
  }
  if (calls.size === 0) throw new FileError(`${file} has no line.`);
  return [...calls.values()];
};

/** The least and the most requests that a call costs in both forms, of so many artists. */
const costOf = (
  { target, instead }: Call,
  artists: number,
): readonly [least: number, most: number] => {
  const [path, text] = split(target);
  if (!parameters.has(path)) return [0, 0];
  if (instead === '-') return [1, 1];
  const { query } = readQuery(path, text);
  const isOwn = instead === '';
  const isThinned = query.has('signed') || query.has('new');
  const wanted = isThinned ? artists : Number(query.get('limit') ?? 100);
  const hasPages = (isThinned || wanted > 100) && !(isOwn && isNothing(query));
  const isOne = query.has('id') || instead.startsWith('/api/v1/added');
  if (path !== '/api/v1/artists' || isOne || !hasPages) return [2, 2];
  const [, limit = isOwn ? 100 : 50] = /[?&]limit=(\d+)/.exec(instead) ?? [];
  const page = Math.min(Math.max(Number(limit), 1), 100);
  return [2, 1 + Math.max(1, Math.ceil(Math.min(wanted, artists) / page))];
};

/** How many seconds so many requests take. The variant form has an hour in place of the minute. */
const secondsFor = (requests: number, { minute, day }: Quota, now: number): number => {
  const windows = [
    { window: minute, length: day === undefined ? 3_600 : 60 },
    { window: day, length: 86_400 },
  ];
  const times = windows.map(({ window, length }) => {
    if (window === undefined || requests <= window.remaining) return 0;
    const more = Math.ceil((requests - window.remaining) / Math.max(window.limit, 1)) - 1;
    return (window.reset.getTime() - now) / 1000 + more * length;
  });
  return Math.max(...times);
};

/** The texts of the values in an answer, by their places. */
const valuesOf = (
  value: object,
  place = '',
): readonly (readonly [place: string, text: string])[] => {
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, part]: [string, unknown]) => {
    const at = isList ? `${place}[${name}]` : place === '' ? name : `${place}.${name}`;
    return typeof part === 'object' && part !== null
      ? valuesOf(part, at)
      : [[at, JSON.stringify(part)] as const];
  });
  return parts.length === 0 ? [[place, isList ? '[]' : '{}']] : parts.flat();
};

/**
 * Asks both forms; resolves with the first difference between their answers, but for the members in
 * `exempt`, and with an empty text where they are equal to the byte. Rejects with an ApiError.
 */
const differenceOf = async (
  { target, instead }: Call,
  service: Service,
  given: Given,
  exempt: readonly string[],
): Promise<string> => {
  const ask = async (path: string, form: string): Promise<Reply> => {
    const reply = await service.ask(path, { headers: { 'X-Envelope': form } }).catch((failure) => {
      const { status, fromService, reply } = failure as ApiError; // or another error, without them
      const isRead = (status === 400 || status === 404) && fromService;
      if (isRead && reply !== undefined) return reply;
      throw failure;
    });
    if (!isRecord(reply.body)) throw service.errorOf(reply);
    // The other form may refuse what this one does not.
    if (reply.headers.get('X-Envelope-Served') !== form) throw new ApiError(`${cannotChoose}.`);
    if (reply.status === 400) throw service.errorOf(reply);
    return reply;
  };
  const theirs = await ask(target, 'variant');
  if (instead === '-') {
    // The program takes it for nobody, or an empty list.
    const { count = 0 } = theirs.body as { count?: number };
    return count === 0 ? '' : `count: ${count} in the variant form, nothing is sent`;
  }
  const send: Send = (path) => ask(path, 'current');
  const askToday = async (): Promise<Answer> => {
    const { body } = instead.includes('{') ? await send(healthPath) : theirs;
    const { generated_at: now = '' } = body as { generated_at?: string };
    const call = instead.replace(dayPattern, (_text, days = 0) => dayBefore(now, Number(days)));
    return askAsVariant(target, send, given, call);
  };
  const answer = await askToday().catch((failure: Error) => failure);
  if (answer instanceof ApiError) throw answer;
  if (answer instanceof Error) return `An answer is not one of the current form: ${answer}`;
  const text = JSON.stringify(answer.body);
  const mapOf = (status: number, adjusted: string, body: string) =>
    new Map(
      valuesOf({ 'HTTP status': status, 'X-Params-Adjusted': adjusted, ...JSON.parse(body) }),
    );
  const adjusted = theirs.headers.get('X-Params-Adjusted') ?? '';
  const one = mapOf(theirs.status, adjusted, theirs.text);
  const other = mapOf(answer.status, adjustedOf(target), text);
  const places = [...one.keys(), ...other.keys()];
  const place = places.find((at) => one.get(at) !== other.get(at) && !exempt.includes(at));
  const isSameOrder = [...one.keys()].join() === [...other.keys()].join();
  if (place === undefined && isSameOrder && theirs.text === JSON.stringify(theirs.body)) return '';
  const values = place === undefined ? [theirs.text, text] : [one.get(place), other.get(place)];
  const [mine, its] = values.map((value = 'nothing') => printable(value).slice(0, 200));
  // An artist that is not in the list keeps its id of the current form.
  const ids = [undefined, ...[...given.documentIds.values()].map((id) => JSON.stringify(id))];
  const isLacking = /^data\[\d+\]\.id$/.test(place ?? '') && !ids.includes(other.get(place ?? ''));
  const lacks = isLacking ? '. ids.csv lacks it: ask for a new list' : '';
  return `${place ?? 'Order or spelling'}: ${mine} in the variant form, ${its} from the current form${lacks}`;
};

/** Seconds after which a call that differs is asked again, since data may have changed. */
const pause = 20;
/** How often it is asked. */
const maxTimes = 3;

/** Compares the answers to calls up to the first that differs, and prints the result. */
const check = async (
  calls: readonly Call[],
  service: Service,
  given: Given,
  exempt: readonly string[],
): Promise<boolean> => {
  const costs = calls.map((call) => costOf(call, given.documentIds.size));
  const [least, most] = [0, 1].map((at) => costs.reduce((sum, cost) => sum + (cost[at] ?? 0), 0));
  const cost = least === most ? `${least}` : `${least} to ${most}`;
  console.log(`${calls.length} calls cost ${cost} requests. Not compared: ${exempt.join(', ')}.`);
  for (const [number, call] of calls.entries()) {
    const name = call.target + (call.instead === '' ? '' : ` with ${call.instead} instead`);
    const soFar = `${number} of ${calls.length} equal, then ${name}`;
    for (let times = 1; ; times++) {
      const difference = await differenceOf(call, service, given, exempt).catch((failure) => {
        console.log(`${soFar} has no answer.`);
        throw failure;
      });
      if (difference === '') break;
      if (times === maxTimes) {
        console.log(`${soFar} differs:\n${difference}`);
        return false;
      }
      service.notice(`${name} differs: asking again in ${pause} s`);
      await service.sleep(pause);
    }
    if (number > 0) continue;
    const now = nowOf(await service.send(healthPath)); // by the clock of the quotas
    const seconds = secondsFor((most ?? 0) - (costs[0]?.[1] ?? 0), service.quota, now);
    const duration = `Within the quota this takes at most ${Math.ceil(seconds / 60) || 1} min`;
    if (seconds > service.longestWait) throw new ApiError(`${duration}: --wait waits.`);
    console.log(`${duration}.`);
  }
  console.log(`${calls.length} of ${calls.length} equal`);
  return true;
};

/** The cells of a line of CSV. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))(?=,|$)/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );

/** Reads what no answer of the current form has. Throws where a file is another one. */
const readGiven = (ids: string, labels: string, partner: string): Given => {
  const [titles = [], ...rows] = linesOf(readText(ids)).map(cellsOf);
  const [current, variant] = [titles.indexOf('current'), titles.indexOf('variant')];
  const documentIds = new Map(rows.map((row) => [row[current] ?? '', row[variant] ?? '']));
  const isWhole = ![...documentIds].flat().includes('') && documentIds.size === rows.length;
  if (!isWhole || current < 0 || variant < 0)
    throw new FileError(`${ids} is no CSV with the columns current and variant, an artist a line.`);
  return { documentIds, labelsTracked: linesOf(readText(labels)), partner };
};

const usage = `moving.ts serve --ids FILE --labels FILE [options]
moving.ts check CALLS --ids FILE --labels FILE [options]

"serve" answers programs in the variant form; "check" compares both forms over the requests in the
file CALLS, a path with its query a line, perhaps with the new call or "-" behind it, with a key that
may choose its form.

  --ids FILE          the list of identifiers: CSV with the columns variant and current
  --labels FILE       the labels in _meta.labels_tracked, one a line
  --partner NAME      the name in _meta.authenticated_as
  --base-url URL      address of the service, else the variable ARTIST_API_URL
  --wait              wait for the quota, however long it takes
  --port N            the port to serve at (8081)
  --host ADDRESS      the address or name to serve at (127.0.0.1)
  --record FILE       write the path and query of each request there, once
  --without MEMBER    leave a member out; may be given several times
  --list-members      print the members, and end

The key is read from the variable ARTIST_API_KEY.`;

const main = async (): Promise<void> => {
  const { positionals, values } = parseArguments({
    ids: { type: 'string' },
    labels: { type: 'string' },
    partner: { type: 'string' },
    'base-url': { type: 'string' },
    wait: { type: 'boolean' },
    port: { type: 'string', default: '8081' },
    host: { type: 'string', default: '127.0.0.1' },
    record: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    'list-members': { type: 'boolean' },
    help: { type: 'boolean' },
  });
  const [command, calls, ...others] = positionals;
  const { ids, labels, partner, wait = false, port, host, record } = values;
  const isCheck = command === 'check' && calls !== undefined && others.length === 0;
  if (values.help) return console.log(usage);
  if (values['list-members']) return console.log(members.join('\n'));
  if (!isCheck && (command !== 'serve' || calls !== undefined))
    end('Give serve, or check and a file. See --help.');
  if (ids === undefined || labels === undefined) return end('Give --ids and --labels. See --help.');
  // A key of the variant form may be allowed to try the current form.
  const headers = { 'X-Envelope': 'current' };
  const service = new Service('moving.ts', { url: values['base-url'], wait, headers });
  const given = readGiven(ids, labels, partner ?? 'partner');
  if (isCheck) {
    const exempt = ['message', 'generated_at', '_meta.timestamp'];
    if (partner === undefined) exempt.push('_meta.authenticated_as');
    if (!(await check(readCalls(calls), service, given, exempt))) process.exitCode = 1;
    return;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new SettingError('--port takes a number up to 65535.');
  serve(host, Number(port), {
    service,
    given,
    isWaiting: wait,
    leftOut: new Set(values.without.flatMap(membersNamed)),
    record: record === undefined ? () => {} : openRecord(record, service),
  });
};

// `import { askAsVariant } from './moving.ts'` uses it as a library.
if (isProgram(import.meta.url)) await run(main);
