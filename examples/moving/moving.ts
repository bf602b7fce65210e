/**
 * Moves to the current form without a new parser: asks a gateway in the current form, and answers as the variant form would.
 *
 *   const documentIds = new Map(rows.map(({ current, variant }) => [current, variant])); // the list of identifiers that we sent you
 *   const given = { documentIds, labelsTracked: ['Sony Music'], partner: 'Acme Radio' };
 *   const { status, body } = await askAsVariant('/api/v1/artists?new=7&fields=basic', send, given);
 *
 * `send` is your transport: it sends a GET with your key, waits for `Retry-After` and sends again, and resolves with the status and the
 * parsed body. A request of the variant form becomes one, or as many as there are pages of 100 artists; with `new=`, one for health, which
 * spends no quota, comes first. Headers are those of the current form: there is no `X-Params-Adjusted`.
 *
 * Needs Node 20.19 or later and no packages. SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

/** The body is what `JSON.parse` returns. */
export type Answer = { readonly status: number; readonly body: unknown };
export type Send = (target: string) => Promise<Answer>;

/** What no answer of the current form has. */
export type Given = {
  /** The identifier in the variant form by that in the current form. An artist that is missing here keeps the latter. */
  readonly documentIds: ReadonlyMap<string, string>;
  readonly labelsTracked: readonly string[];
  /** The name in `_meta.authenticated_as`. */
  readonly partner: string;
};

/** The members that are not derived: they are given, or differ between any two answers. `message` is a text for people. */
export const notDerived = [
  'data[].id',
  '_meta.authenticated_as',
  '_meta.labels_tracked[]',
  '_meta.timestamp',
  'message',
] as const;

// The members of the current form that are read here.
type Song = { id: string; name: string; artwork?: string; metrics: Record<string, number> };
type Named = { name: string; photo_url?: string; date_added?: string; tier?: string; links: object; metrics: object };
type Artist = Named & { id: string; songs: Song[]; signing: Signed; editorial?: { scouting_report?: string } };
type Signed = { status?: string };
type Growth = { metric: string; previous: number; current: number; delta: number; percent_change: number };
type Spike = Growth & { artist_name: string; window: { days: number }; links: { tiktok?: string } };
type LabelSong = { song_name: string; p_line: string; label_detected: string };
type Signing = { artist_name: string; signing: Signed; label_songs: LabelSong[]; total_label_songs: number };
type Meta = { api_version: string; generated_at: string; next_cursor: string | null; window: { days: number } };
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
  return { status, body: { error, message } };
};

/** An error of the current form as the variant form reports it. */
const variantError = ({ body }: Answer): Answer => {
  const { error } = (body ?? {}) as { error?: { code: string; message: string } }; // by the contract; a proxy may answer otherwise
  return errorOf(error?.code ?? '', error?.message ?? 'The answer is not one of the gateway.');
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

const toSpike = ({ artist_name, metric, previous, current, delta, percent_change, window, links }: Spike) => {
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

const listOf = (data: object[], meta: Meta, { partner }: Given, more: object = {}, moreMeta: object = {}): Answer => {
  const _meta = { api_version: meta.api_version, authenticated_as: partner, timestamp: meta.generated_at, ...moreMeta };
  return { status: 200, body: { success: true, count: data.length, ...more, data, _meta } };
};

const isDigits = (text: string | null | undefined): text is string => /^[0-9]+$/.test(text ?? '');

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

const isWithin = (day: string | undefined, from: string, to: string): boolean =>
  day !== undefined && day >= from && day <= to;

/** A number out of range counts as the nearest one, another text as the default. */
const numberOf = (text: string | null, max: number, fallback: number): number =>
  isDigits(text) ? Math.min(Math.max(Number(text), 1), max) : fallback;

/** The day so many days before an instant, and not before the first of the calendar. */
const dayBefore = (instant: string, days: number): string =>
  new Date(Math.max(Date.parse(instant) - days * 86_400_000, Date.parse('0001-01-01'))).toISOString().slice(0, 10);

/** The identifier to ask for. That of the current form is none here, so it becomes one that no artist has. */
const stableIdOf = (id: string, { documentIds }: Given): string =>
  [...documentIds].find(([, documentId]) => documentId === id)?.[0] ?? documentIds.get(id) ?? id;

/** What the artists of an answer must fulfil; `undefined` when a filter cannot be understood, and so matches nothing. */
const filterOf = (query: URLSearchParams) => {
  const [added, tier, anyCase] = ['new', 'tier', 'signed'].map((name) => query.get(name) ?? undefined);
  const signed = anyCase?.toLowerCase();
  if (added !== undefined && !isDigits(added)) return undefined;
  if (tier !== undefined && !tiers.includes(tier)) return undefined;
  if (signed !== undefined && signed !== 'true' && signed !== 'false') return undefined;
  return (artist: Artist, now: string): boolean =>
    (tier === undefined || artist.tier === tier) &&
    (signed === undefined || (artist.signing.status === 'signed') === (signed === 'true')) &&
    (added === undefined || isWithin(artist.date_added, dayBefore(now, Number(added)), now.slice(0, 10)));
};

/** Joins as many pages of the current form as it takes. What the current form has no filter for is left out here. */
const askArtists = async (query: URLSearchParams, send: Send, given: Given): Promise<Answer> => {
  const [id, added, tier] = ['id', 'new', 'tier'].map((name) => query.get(name));
  const passes = id === '' ? undefined : filterOf(query);
  const wanted = passes === undefined ? 0 : numberOf(query.get('limit'), 200, 100);
  const isThinned = query.has('signed') || query.has('new');
  const asked = new URLSearchParams({ limit: String(isThinned ? 100 : Math.min(Math.max(wanted, 1), 100)) });
  if (id) asked.set('id', stableIdOf(id, given));
  if (passes !== undefined && tier && !id) asked.set('tier', tier);
  if (passes !== undefined && isDigits(added) && !id) {
    const health = await send('/api/v1/health'); // the gateway's day, for no quota
    if (health.status !== 200) return variantError(health);
    asked.set('added_since', dayBefore((health.body as { generated_at: string }).generated_at, Number(added)));
  }
  const found: Artist[] = [];
  for (;;) {
    const answer = await send(`/api/v1/artists?${asked}`);
    if (answer.status !== 200) return variantError(answer);
    const { data, meta } = answer.body as Page<Artist>;
    if (id && data.length === 0) return errorOf('not_found', 'No artist has this identifier.');
    found.push(...data.filter((artist) => passes?.(artist, meta.generated_at)));
    if (found.length >= wanted || meta.next_cursor === null) {
      const isBasic = query.get('fields') === 'basic';
      return listOf(
        found.slice(0, wanted).map((artist) => toArtist(artist, isBasic, given)),
        meta,
        given,
      );
    }
    asked.set('cursor', meta.next_cursor);
  }
};

const askSpikes = async (query: URLSearchParams, isUnread: boolean, send: Send, given: Given): Promise<Answer> => {
  const answer = await send(`/api/v1/spikes?days=${numberOf(query.get('days'), 30, 3)}`);
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body as Page<Spike>;
  return listOf(isUnread ? [] : data.map(toSpike), meta, given, { period_days: meta.window.days });
};

const askSignings = async (isUnread: boolean, send: Send, given: Given): Promise<Answer> => {
  const answer = await send('/api/v1/signings');
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body as Page<Signing>;
  return listOf(isUnread ? [] : data.map(toSigning), meta, given, {}, { labels_tracked: given.labelsTracked });
};

/** Answers a GET of the variant form: `target` is its path with its query. Rejects only where `send` does. */
export const askAsVariant = async (target: string, send: Send, given: Given): Promise<Answer> => {
  const [path = '', ...rest] = target.split('?');
  const text = rest.join('?');
  const isUnread = text.length > 2_048;
  const query = new URLSearchParams(isUnread ? 'id=' : `&${text}`); // an empty id matches nothing
  if (path === '/api/v1/artists') return askArtists(query, send, given);
  if (path === '/api/v1/spikes') return askSpikes(query, isUnread, send, given);
  if (path === '/api/v1/signings') return askSignings(isUnread, send, given);
  return path === '/api/v1/health' ? send(path) : errorOf('not_found', 'The variant form has no such path.');
};
