/**
 * Answers requests of the variant form from a gateway that it asks in the current form, for a
 * program that keeps its parser.
 *
 * For a program in any language, which only gets another address, http://127.0.0.1:8081 instead of
 * that of the service:
 *
 *   ARTIST_API_KEY=aik_… node moving.mjs serve --port 8081 --ids ids.csv --labels labels.txt
 *
 * The key is your new one, of the current form; who reaches the port asks with it. `ids.csv` is the
 * list of identifiers that we sent you, `labels.txt` has a tracked label a line. See --help. For a
 * program in TypeScript, as a library:
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

import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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
];

const errors = new Map([
  ['unauthorized', [401, 'unauthorized']],
  ['insufficient_scope', [401, 'unauthorized']],
  ['not_found', [404, 'not_found']],
  ['method_not_allowed', [405, 'method_not_allowed']],
  ['rate_limited', [429, 'rate_limited']],
  ['quota_exceeded', [429, 'rate_limited']],
]);

const errorOf = (code, message) => {
  const [status, error] = errors.get(code) ?? [500, 'server_error'];
  return { status, body: { error, message } };
};

/** An error of the current form as the variant form reports it. */
const variantError = ({ body }) => {
  // by the contract; a proxy may answer otherwise
  const { error } = body ?? {};
  return errorOf(error?.code ?? '', error?.message ?? 'The answer is not one of the gateway.');
};

const toArtist = (artist, isBasic, { documentIds }) => ({
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

const toSong = ({ id, name, artwork, metrics: { streams, ugc_tiktok, ugc_instagram } }) => {
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
}) => {
  const growth = { metric, previous, current, delta, percent_change };
  return { artist_name, ...growth, period_days: window.days, tiktok: links.tiktok };
};

const toSigning = ({ artist_name, signing, label_songs, total_label_songs }) => ({
  artist_name,
  signed_status: signing.status ?? 'unknown',
  label_songs: label_songs.map(({ song_name, p_line, label_detected }) => ({
    song_name,
    pline: p_line,
    label_detected,
  })),
  total_label_songs,
});

const listOf = (data, meta, { partner }, more = {}, moreMeta = {}) => {
  const _meta = {
    api_version: meta.api_version,
    authenticated_as: partner,
    timestamp: meta.generated_at,
    ...moreMeta,
  };
  return { status: 200, body: { success: true, count: data.length, ...more, data, _meta } };
};

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

const isWithin = (day, from, to) => day !== undefined && day >= from && day <= to;

const parameters = new Map([
  ['/api/v1/artists', ['id', 'new', 'tier', 'signed', 'fields', 'limit']],
  ['/api/v1/spikes', ['days']],
  ['/api/v1/signings', []],
]);
const longestQuery = 2_048; // bytes

/** A number out of range counts as the nearest one, another text as the default. */
const numberOf = (text, max, fallback) =>
  /^[0-9]+$/.test(text) ? Math.min(Math.max(Number(text), 1), max) : fallback;

/** What counts for the text of a parameter. */
const usedOf = (name, text) => {
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
const isRepaired = (name, text, used) =>
  used === undefined ||
  (typeof used === 'number'
    ? !/^[0-9]+$/.test(text) || used !== Number(text)
    : name === 'fields' && used === 'all');

/** What counts for each parameter of a query, and what was repaired. */
const readQuery = (path, text) => {
  if (text.length > longestQuery)
    return { query: new Map([['query', undefined]]), adjusted: ['query=none'] };
  const sent = new URLSearchParams(`&${text}`);
  const known = parameters.get(path) ?? [];
  const query = new Map();
  const adjusted = [];
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
const split = (target) => {
  const [path = '', ...rest] = target.split('?');
  return [path, rest.join('?')];
};

/**
 * What `X-Params-Adjusted` says of a request of the variant form; empty where that has no such
 * header.
 */
export const adjustedOf = (target) => {
  const [path, text] = split(target);
  return parameters.has(path) ? readQuery(path, text).adjusted.join(', ') : '';
};

/** The day so many days before an instant, and not before the first of the calendar. */
const dayBefore = (instant, days) =>
  new Date(Math.max(Date.parse(instant) - days * 86_400_000, Date.parse('0001-01-01')))
    .toISOString()
    .slice(0, 10);

/**
 * The identifier to ask for. That of the current form is none here, so it becomes one that no
 * artist has.
 */
const stableIdOf = (id, { documentIds }) =>
  [...documentIds].find(([, documentId]) => documentId === id)?.[0] ?? documentIds.get(id) ?? id;

/** Whether an artist fulfils the filters at an instant. */
const passes = (artist, query, now) =>
  (!query.has('tier') || artist.tier === query.get('tier')) &&
  (!query.has('signed') ||
    (artist.signing.status === 'signed') === (query.get('signed') === 'true')) &&
  (!query.has('new') ||
    isWithin(artist.date_added, dayBefore(now, Number(query.get('new'))), now.slice(0, 10)));

const isNothing = (query) => [...query.values()].includes(undefined);

/**
 * Joins as many pages of the current form as it takes. What the current form has no filter for is
 * left out here.
 */
const askArtists = async (query, send, given) => {
  const id = query.get('id');
  const wanted = isNothing(query) ? 0 : Number(query.get('limit') ?? 100);
  const isThinned = query.has('signed') || query.has('new');
  const asked = new URLSearchParams({
    limit: String(isThinned ? 100 : Math.min(Math.max(wanted, 1), 100)),
  });
  if (id !== undefined) asked.set('id', stableIdOf(String(id), given));
  else if (!isNothing(query)) {
    if (query.has('tier')) asked.set('tier', String(query.get('tier')));
    if (query.has('new')) {
      const health = await send('/api/v1/health'); // the gateway's day, for no quota
      if (health.status !== 200) return variantError(health);
      const { generated_at } = health.body;
      asked.set('added_since', dayBefore(generated_at, Number(query.get('new'))));
    }
  }
  const found = [];
  for (;;) {
    const answer = await send(`/api/v1/artists?${asked}`);
    if (answer.status !== 200) return variantError(answer);
    const { data, meta } = answer.body;
    if (id !== undefined && data.length === 0)
      return errorOf('not_found', 'No artist has this identifier.');
    if (!isNothing(query))
      found.push(...data.filter((artist) => passes(artist, query, meta.generated_at)));
    if (found.length >= wanted || meta.next_cursor === null) {
      const isBasic = query.get('fields') === 'basic';
      const artists = found.slice(0, wanted).map((artist) => toArtist(artist, isBasic, given));
      return listOf(artists, meta, given);
    }
    asked.set('cursor', meta.next_cursor);
  }
};

const askSpikes = async (query, send, given) => {
  const answer = await send(`/api/v1/spikes?days=${query.get('days') ?? 3}`);
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body;
  return listOf(isNothing(query) ? [] : data.map(toSpike), meta, given, {
    period_days: meta.window.days,
  });
};

const askSignings = async (query, send, given) => {
  const answer = await send('/api/v1/signings');
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body;
  return listOf(
    isNothing(query) ? [] : data.map(toSigning),
    meta,
    given,
    {},
    { labels_tracked: given.labelsTracked },
  );
};

/**
 * Answers a GET of the variant form: `target` is its path with its query. Rejects only where `send`
 * does.
 */
export const askAsVariant = async (target, send, given) => {
  const [path, text] = split(target);
  const { query } = readQuery(path, text);
  if (path === '/api/v1/artists') return askArtists(query, send, given);
  if (path === '/api/v1/spikes') return askSpikes(query, send, given);
  if (path === '/api/v1/signings') return askSignings(query, send, given);
  if (path !== '/api/v1/health') return errorOf('not_found', 'The variant form has no such path.');
  const health = await send(path);
  return health.status === 200 ? health : variantError(health);
};

const settings = {
  url: process.env['ARTIST_API_URL'] ?? 'http://127.0.0.1:3000',
  key: process.env['ARTIST_API_KEY']?.trim() ?? '',
  timeout: 30, // seconds
  isWaiting: false,
};

/**
 * The headers of an answer in the variant form, as far as the last one of the current form tells
 * them.
 */
const headersOf = (target, status, told) => {
  // Of the quotas of the current form the one with fewer requests left, since a client of the
  // variant form knows one only.
  const [minute = 0, day = 0] = ['', '-Day'].map((name) =>
    Number(told.get(`X-RateLimit${name}-Remaining`) ?? Infinity),
  );
  const quota = (name) =>
    [200, 404, 429].includes(status)
      ? told.get(`X-RateLimit${day < minute ? '-Day' : ''}-${name}`)
      : null;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': status === 200 ? 'private, no-cache' : 'no-store',
    Vary: 'Authorization, X-Envelope',
    'X-Content-Type-Options': 'nosniff',
    'X-Envelope-Served': 'variant',
    'X-Request-Id': told.get('X-Request-Id') ?? randomUUID(),
    'X-Params-Adjusted': status === 200 || status === 404 ? adjustedOf(target) || null : null,
    'X-RateLimit-Limit': quota('Limit'),
    'X-RateLimit-Remaining': quota('Remaining'),
    'X-RateLimit-Reset': quota('Reset'),
    'Retry-After': status === 429 || status === 500 ? told.get('Retry-After') : null,
    'WWW-Authenticate': status === 401 ? 'Bearer' : null,
    Allow: status === 405 ? 'GET' : null,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
  );
};

/** Answers a request that a program sent. Never rejects. */
const answerOf = async (method, target, given) => {
  let told = new Headers();
  const send = async (path) => {
    for (;;) {
      // A key that is still pinned to the variant form may try the current form, where it is
      // allowed to.
      const headers = { Authorization: `Bearer ${settings.key}`, 'X-Envelope': 'current' };
      const response = await fetch(settings.url + path, {
        headers,
        signal: AbortSignal.timeout(settings.timeout * 1000),
      });
      told = response.headers;
      if (told.get('X-Envelope-Served') === 'variant')
        throw new Error('ARTIST_API_KEY is a key of the variant form: it takes your new one');
      const body = await response.json();
      if (response.status !== 429 || !settings.isWaiting) return { status: response.status, body };
      const seconds = Number(told.get('Retry-After') ?? 60);
      console.error(`429: waiting ${seconds} s`);
      await sleep(seconds * 1000);
    }
  };
  const isKnown = [...parameters.keys(), '/api/v1/health'].includes(split(target)[0]);
  const answered =
    method !== 'GET' && isKnown
      ? Promise.resolve(errorOf('method_not_allowed', 'Only GET is supported.'))
      : askAsVariant(target, send, given);
  const { status, body } = await answered.catch((failure) => {
    // Whatever it is, the program that asked gets an answer.
    const { message } = failure.cause instanceof Error ? failure.cause : failure;
    console.error(`No answer from ${settings.url}: ${message}`);
    return errorOf('', 'The service gave no answer that can be read.');
  });
  return { status, headers: headersOf(target, status, told), text: JSON.stringify(body) };
};

/** Answers requests of the variant form at an address, until Ctrl-C. */
const serve = (host, port, given) => {
  const server = createServer((request, response) => {
    void answerOf(request.method ?? '', request.url ?? '', given).then(
      ({ status, headers, text }) => {
        response
          .writeHead(status, {
            ...headers,
            Connection: 'close',
            'Content-Length': Buffer.byteLength(text),
          })
          .end(text);
      },
    );
  });
  server.listen(port, host, () => {
    const address = server.address();
    const bound = typeof address === 'object' ? address?.port : port;
    console.log(`http://${host}:${bound} answers in the variant form from ${settings.url}`);
  });
  server.on('error', ({ message }) => end(message));
  process.once('SIGINT', () => process.exit());
};

/** Ends the program with one line. */
const end = (reason) => {
  console.error(reason);
  process.exit(1);
};

/** The cells of a line of CSV. */
const cellsOf = (line) =>
  [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))(?=,|$)/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );

const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');

/** Reads what no answer of the current form has. Throws where a file is another one. */
const readGiven = (ids, labels, partner) => {
  const [titles = [], ...rows] = linesOf(ids).map(cellsOf);
  const [current, variant] = [titles.indexOf('current'), titles.indexOf('variant')];
  if (current < 0 || variant < 0) throw new Error(`${ids} has no columns current and variant`);
  const documentIds = new Map(rows.map((row) => [row[current] ?? '', row[variant] ?? '']));
  return { documentIds, labelsTracked: linesOf(labels).map((line) => line.trim()), partner };
};

const usage = `moving.mjs serve --ids FILE --labels FILE [options]

  --ids FILE          the list of identifiers: CSV with the columns variant and current
  --labels FILE       the labels in _meta.labels_tracked, one a line
  --partner NAME      the name in _meta.authenticated_as (partner)
  --port N            the port to answer at (8081)
  --host ADDRESS      the address to answer at (127.0.0.1: only programs of this machine)
  --base-url URL      address of the service, else the variable ARTIST_API_URL (${settings.url})
  --wait              wait while a quota is spent, instead of answering 429
  --help

The key of the current form is read from the variable ARTIST_API_KEY.`;

const main = () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      ids: { type: 'string' },
      labels: { type: 'string' },
      partner: { type: 'string', default: 'partner' },
      port: { type: 'string', default: '8081' },
      host: { type: 'string', default: '127.0.0.1' },
      'base-url': { type: 'string', default: settings.url },
      wait: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const { ids, labels, partner, port, host } = values;
  if (values.help) console.log(usage);
  else if (positionals[0] !== 'serve' || ids === undefined || labels === undefined)
    end('Give serve, --ids and --labels. See --help.');
  else if (settings.key === '')
    end('ARTIST_API_KEY is not set: it holds your key of the current form.');
  else {
    settings.url = values['base-url'].replace(/\/+$/, '');
    settings.isWaiting = values.wait;
    serve(host, Number(port), readGiven(ids, labels, partner));
  }
};

// `import { askAsVariant } from './moving.mjs'` uses it as a library.
if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  try {
    main();
  } catch (failure) {
    end(failure instanceof Error ? failure.message : String(failure));
  }
}
