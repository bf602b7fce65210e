/** The members that are not derived: they are given, or differ between any two answers. `message` is a text for people. */
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
  const { error } = body ?? {}; // by the contract; a proxy may answer otherwise
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

const toSpike = ({ artist_name, metric, previous, current, delta, percent_change, window, links }) => {
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
  const _meta = { api_version: meta.api_version, authenticated_as: partner, timestamp: meta.generated_at, ...moreMeta };
  return { status: 200, body: { success: true, count: data.length, ...more, data, _meta } };
};

const isDigits = (text) => /^[0-9]+$/.test(text ?? '');

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

const isWithin = (day, from, to) => day !== undefined && day >= from && day <= to;

/** A number out of range counts as the nearest one, another text as the default. */
const numberOf = (text, max, fallback) => (isDigits(text) ? Math.min(Math.max(Number(text), 1), max) : fallback);

/** The day so many days before an instant, and not before the first of the calendar. */
const dayBefore = (instant, days) =>
  new Date(Math.max(Date.parse(instant) - days * 86_400_000, Date.parse('0001-01-01'))).toISOString().slice(0, 10);

/** The identifier to ask for. That of the current form is none here, so it becomes one that no artist has. */
const stableIdOf = (id, { documentIds }) =>
  [...documentIds].find(([, documentId]) => documentId === id)?.[0] ?? documentIds.get(id) ?? id;

/** What the artists of an answer must fulfil; `undefined` when a filter cannot be understood, and so matches nothing. */
const filterOf = (query) => {
  const [added, tier, anyCase] = ['new', 'tier', 'signed'].map((name) => query.get(name) ?? undefined);
  const signed = anyCase?.toLowerCase();
  if (added !== undefined && !isDigits(added)) return undefined;
  if (tier !== undefined && !tiers.includes(tier)) return undefined;
  if (signed !== undefined && signed !== 'true' && signed !== 'false') return undefined;
  return (artist, now) =>
    (tier === undefined || artist.tier === tier) &&
    (signed === undefined || (artist.signing.status === 'signed') === (signed === 'true')) &&
    (added === undefined || isWithin(artist.date_added, dayBefore(now, Number(added)), now.slice(0, 10)));
};

/** Joins as many pages of the current form as it takes. What the current form has no filter for is left out here. */
const askArtists = async (query, send, given) => {
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
    asked.set('added_since', dayBefore(health.body.generated_at, Number(added)));
  }
  const found = [];
  for (;;) {
    const answer = await send(`/api/v1/artists?${asked}`);
    if (answer.status !== 200) return variantError(answer);
    const { data, meta } = answer.body;
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

const askSpikes = async (query, isUnread, send, given) => {
  const answer = await send(`/api/v1/spikes?days=${numberOf(query.get('days'), 30, 3)}`);
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body;
  return listOf(isUnread ? [] : data.map(toSpike), meta, given, { period_days: meta.window.days });
};

const askSignings = async (isUnread, send, given) => {
  const answer = await send('/api/v1/signings');
  if (answer.status !== 200) return variantError(answer);
  const { data, meta } = answer.body;
  return listOf(isUnread ? [] : data.map(toSigning), meta, given, {}, { labels_tracked: given.labelsTracked });
};

/** Answers a GET of the variant form: `target` is its path with its query. Rejects only where `send` does. */
export const askAsVariant = async (target, send, given) => {
  const [path = '', ...rest] = target.split('?');
  const text = rest.join('?');
  const isUnread = text.length > 2_048;
  const query = new URLSearchParams(isUnread ? 'id=' : `&${text}`); // an empty id matches nothing
  if (path === '/api/v1/artists') return askArtists(query, send, given);
  if (path === '/api/v1/spikes') return askSpikes(query, isUnread, send, given);
  if (path === '/api/v1/signings') return askSignings(isUnread, send, given);
  return path === '/api/v1/health' ? send(path) : errorOf('not_found', 'The variant form has no such path.');
};
