import { byCodePoints, inListOrder, isAddedWithin, signingsOf, songsInOrder, spikesOf } from './oracle.ts';
import { isOverLimit, type Pair, type Question, scopeSets } from './random-questions.ts';
import type { Shortlist, StoredArtist } from './stored-shortlist.ts';

/** The expected answer of the variant form; `body` without `_meta`'s partner and clock. */
export interface ExpectedVariant {
  readonly status: 200 | 404;
  readonly body: Readonly<Record<string, unknown>>;
  /** `X-Params-Adjusted`, its entries sorted; empty when nothing was adjusted. */
  readonly adjusted: readonly string[];
  /** `labels_tracked`, on signings only. */
  readonly labels?: readonly string[];
}

interface Given {
  readonly first: Pair | undefined;
  readonly isRepeated: boolean;
}

const givenOf = (pairs: readonly Pair[], wanted: string): Given => {
  const [first, ...more] = pairs.filter(({ name }) => name === wanted);
  return { first, isRepeated: more.length > 0 };
};

/** What a filter means: which artists pass, and how the header tells it. */
interface Filter {
  readonly told: string;
  readonly passes: (artist: StoredArtist) => boolean;
}

const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

/** The filters by name; `undefined` for a value that cannot be understood. */
const filters: Readonly<Record<string, (value: string, today: string) => Filter | undefined>> = {
  id: (value) => (value === '' ? undefined : { told: 'first', passes: ({ _id }) => _id === value }),
  new(value, today) {
    if (!/^[0-9]+$/.test(value)) return undefined;
    const told = String(Math.min(Number(value), 2 ** 53 - 1));
    return { told, passes: (artist) => isAddedWithin(artist, Number(value), today) };
  },
  tier: (value) => (tiers.includes(value) ? { told: value, passes: ({ tier }) => tier === value } : undefined),
  signed(value) {
    const told = value.toLowerCase();
    if (told !== 'true' && told !== 'false') return undefined;
    return { told, passes: ({ signing }) => (signing.status === 'signed') === (told === 'true') };
  },
};

/** The filters of a query, and what the header says of each. */
const filtersOf = (pairs: readonly Pair[], today: string) =>
  Object.entries(filters).flatMap(([name, read]) => {
    const { first, isRepeated } = givenOf(pairs, name);
    if (first === undefined) return [];
    const isNobody = name === 'id' && first.isMalformed === true; // an identifier that is no UTF-8: no document has it
    const filter = first.isMalformed && !isNobody ? undefined : read(first.value, today);
    const told = isRepeated && filter !== undefined ? [`${name}=${filter.told}`] : [];
    const passes = (artist: StoredArtist): boolean => !isNobody && filter?.passes(artist) === true;
    return [
      { name, isUnderstood: filter !== undefined, passes, adjusted: filter === undefined ? [`${name}=none`] : told },
    ];
  });

const number = ({ first, isRepeated }: Given, name: string, fallback: number, max: number) => {
  const given =
    first !== undefined && !first.isMalformed && /^[0-9]+$/.test(first.value) ? Number(first.value) : undefined;
  const used = given === undefined ? fallback : Math.min(Math.max(given, 1), max);
  return { used, adjusted: first !== undefined && (used !== given || isRepeated) ? [`${name}=${used}`] : [] };
};

const unknownOf = (pairs: readonly Pair[], known: readonly string[]): string[] => {
  const names = new Set(pairs.map(({ name }) => name).filter((name) => !known.includes(name)));
  return names.size === 0 ? [] : [`unknown=${names.size}`];
};

const presentArtist = (artist: StoredArtist, isBasic: boolean, scopes: readonly string[]) => {
  const report = artist.editorial?.scouting_report;
  return {
    id: artist._id,
    name: artist.name,
    ...(artist.photo_url === undefined ? {} : { photo: artist.photo_url }),
    ...(artist.date_added === undefined ? {} : { date_added: artist.date_added }),
    signed_status: artist.signing.status ?? 'unknown',
    ...(artist.tier === undefined ? {} : { tier: artist.tier }),
    links: artist.links,
    metrics: artist.metrics,
    total_songs: artist.songs.length,
    ...(isBasic
      ? {}
      : {
          songs: songsInOrder(artist).map(({ id, name, metrics, artwork }) => ({
            id,
            name,
            ...metrics,
            ...(artwork === undefined ? {} : { artwork }),
          })),
        }),
    ...(isBasic || report === undefined || !scopes.includes('editorial:read') ? {} : { scouting_report: report }),
  };
};

const list = (data: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) => ({
  success: true,
  count: data.length,
  ...more,
  data,
});

const artistsOf = (
  shortlist: Shortlist,
  { scopes }: Question,
  pairs: readonly Pair[],
  today: string,
): ExpectedVariant => {
  const given = filtersOf(pairs, today);
  const fields = givenOf(pairs, 'fields');
  const isBasic = fields.first?.value === 'basic';
  const adjustedFields =
    fields.first !== undefined && !isBasic ? ['fields=all'] : fields.isRepeated ? ['fields=basic'] : [];
  const limit = number(givenOf(pairs, 'limit'), 'limit', 100, 200);
  const adjusted = [
    ...given.flatMap((one) => one.adjusted),
    ...adjustedFields,
    ...limit.adjusted,
    ...unknownOf(pairs, ['id', 'new', 'tier', 'signed', 'fields', 'limit']),
  ].sort();
  const id = given.find(({ name }) => name === 'id');
  if (id?.isUnderstood && !shortlist.artists.some(id.passes)) {
    return { status: 404, body: { error: 'not_found' }, adjusted };
  }
  const found = inListOrder(shortlist.artists).filter((artist) => given.every(({ passes }) => passes(artist)));
  const data = found.slice(0, limit.used).map((artist) => presentArtist(artist, isBasic, scopeSets[scopes]));
  return { status: 200, body: list(data), adjusted };
};

const spikesAnswer = (shortlist: Shortlist, pairs: readonly Pair[], today: string): ExpectedVariant => {
  const days = number(givenOf(pairs, 'days'), 'days', 3, 30);
  const data = spikesOf(shortlist, days.used, today).map(({ artist, metric, previous, current, delta, percent }) => ({
    artist_name: artist.name,
    metric,
    previous: previous.value,
    current: current.value,
    delta,
    percent_change: percent,
    period_days: days.used,
    ...(artist.links['tiktok'] === undefined ? {} : { tiktok: artist.links['tiktok'] }),
  }));
  return {
    status: 200,
    body: list(data, { period_days: days.used }),
    adjusted: [...days.adjusted, ...unknownOf(pairs, ['days'])].sort(),
  };
};

/** Alphabetical. */
const trackedLabels = ({ labels }: Shortlist): string[] => labels.map(({ name }) => name).sort(byCodePoints);

const signingsAnswer = (shortlist: Shortlist, pairs: readonly Pair[]): ExpectedVariant => ({
  status: 200,
  body: list(
    signingsOf(shortlist).map(({ artist, songs }) => ({
      artist_name: artist.name,
      signed_status: artist.signing.status ?? 'unknown',
      label_songs: songs.map(({ song, pLine, label }) => ({
        song_name: song.name,
        pline: pLine,
        label_detected: label,
      })),
      total_label_songs: songs.length,
    })),
  ),
  adjusted: unknownOf(pairs, []),
  labels: trackedLabels(shortlist),
});

/** The answer of the variant form to a question; `pairs` are those that were sent. */
export const expectVariant = (
  shortlist: Shortlist,
  question: Question,
  pairs: readonly Pair[],
  today: string,
): ExpectedVariant => {
  if (isOverLimit(pairs)) {
    const more = question.route === 'spikes' ? { period_days: 3 } : {};
    const labels = question.route === 'signings' ? { labels: trackedLabels(shortlist) } : {};
    return { status: 200, body: list([], more), adjusted: ['query=none'], ...labels };
  }
  if (question.route === 'spikes') return spikesAnswer(shortlist, pairs, today);
  if (question.route === 'signings') return signingsAnswer(shortlist, pairs);
  return artistsOf(shortlist, question, pairs, today);
};
