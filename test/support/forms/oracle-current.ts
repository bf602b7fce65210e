import {
  byCodePoints,
  type EndOfPage,
  historyOf,
  ignoringCase,
  inListOrder,
  isAddedWithin,
  isAfter,
  signingsOf,
  songsInOrder,
  spikesOf,
} from './oracle.ts';
import { isOverLimit, type Pair, type Question, type Route, scopeSets } from './random-questions.ts';
import type { Shortlist, StoredArtist } from './stored-shortlist.ts';

/** A cursor that the gateway gave, and what it stands for. */
export interface KnownCursor {
  readonly text: string;
  /** The filters of the page, as the query had them. */
  readonly filters: readonly Pair[];
  readonly end: EndOfPage;
}

/** The expected answer; `meta` without the clock, the request id and the cursor. */
export type ExpectedCurrent =
  | { readonly status: 400 | 403 | 404 | 431; readonly code?: string }
  | {
      readonly status: 200;
      readonly data: unknown;
      readonly meta: Readonly<Record<string, unknown>>;
      /** Where the page ends, if more follows. */
      readonly end?: EndOfPage | undefined;
    };

const scopeOf: Readonly<Record<Route, string>> = {
  artists: 'artists:read',
  artist: 'artists:read',
  added: 'artists:read',
  spikes: 'spikes:read',
  signings: 'signings:read',
};

const invalid = { status: 400, code: 'invalid_parameter' } as const;

const isRealDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  text >= '0001-01-01' &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

const isWithin = (text: string, min: number, max: number): boolean =>
  /^[0-9]+$/.test(text) && Number(text) >= min && Number(text) <= max;

type Rule = (value: string) => boolean;

/** The values that each parameter of a path may have. */
export const rules: Readonly<Record<'artists' | 'added' | 'spikes', Readonly<Record<string, Rule>>>> = {
  artists: {
    name: (value) => [...value].length <= 120,
    id: (value) => value !== '',
    added_since: isRealDay,
    tier: (value) => value !== '',
    include: (value) => value === 'history',
    limit: (value) => isWithin(value, 1, 100),
    cursor: () => true,
  },
  added: { days: (value) => isWithin(value, 1, 90), limit: (value) => isWithin(value, 1, 100) },
  spikes: { days: (value) => isWithin(value, 1, 30) },
};

const isValid = (route: 'artists' | 'added' | 'spikes', pairs: readonly Pair[]): boolean =>
  pairs.every(
    ({ name, value, isMalformed }) =>
      !isMalformed &&
      pairs.filter((other) => other.name === name).length === 1 &&
      Object.hasOwn(rules[route], name) &&
      rules[route][name]?.(value) === true,
  );

const firstValue = (pairs: readonly Pair[], wanted: string): string | undefined =>
  pairs.find(({ name }) => name === wanted)?.value;

const signingOf = ({ signing }: StoredArtist, scopes: readonly string[]) => ({
  ...(signing.status === undefined ? {} : { status: signing.status }),
  ...(signing.note === undefined || !scopes.includes('signing-notes:read') ? {} : { note: signing.note }),
});

const presentArtist = (shortlist: Shortlist, artist: StoredArtist, scopes: readonly string[], withHistory: boolean) => {
  const { _id, signing: _signing, songs: _songs, editorial, internal_notes, updated_at, ...shown } = artist;
  return {
    ...shown,
    signing: signingOf(artist, scopes),
    songs: songsInOrder(artist).map((song) => ({
      ...song,
      ...(withHistory ? { history: historyOf(shortlist, artist.id, song.id) } : {}),
    })),
    ...(withHistory ? { history: historyOf(shortlist, artist.id) } : {}),
    ...(editorial !== undefined && scopes.includes('editorial:read') ? { editorial } : {}),
  };
};

/** Whether an artist passes a filter with a value. */
const filters: Readonly<Record<string, (artist: StoredArtist, value: string) => boolean>> = {
  name: ({ name }, value) => ignoringCase(name).includes(ignoringCase(value)),
  id: ({ id }, value) => id === value,
  added_since: ({ date_added }, value) => date_added !== undefined && date_added >= value,
  tier: (artist, value) => artist.tier === value,
};

/** The filters of a query; an empty name is none. */
export const filtersOf = (pairs: readonly Pair[]): Pair[] =>
  pairs
    .filter(({ name, value }) => Object.hasOwn(filters, name) && !(name === 'name' && value === ''))
    .sort((left, right) => byCodePoints(left.name, right.name));

const sameFilters = (left: readonly Pair[], right: readonly Pair[]): boolean =>
  JSON.stringify(filtersOf(left)) === JSON.stringify(filtersOf(right));

const matches = (artist: StoredArtist, pairs: readonly Pair[]): boolean =>
  filtersOf(pairs).every(({ name, value }) => filters[name]?.(artist, value) === true);

const listMeta = (count: number) => ({ api_version: 'v1', count });

const engine = { name: 'trusted-movement', version: '1.0.0' };

/** The answer of the current form to a question; `pairs` are those that were sent. */
type Answer = (
  shortlist: Shortlist,
  question: Question,
  pairs: readonly Pair[],
  today: string,
  cursor?: KnownCursor,
) => ExpectedCurrent;

const answers: Readonly<Record<Route, Answer>> = {
  artists(shortlist, { scopes }, pairs, _today, cursor) {
    if (!isValid('artists', pairs)) return invalid;
    const given = firstValue(pairs, 'cursor');
    if (given !== undefined && (cursor === undefined || !sameFilters(pairs, cursor.filters))) {
      return { status: 400, code: 'invalid_cursor' };
    }
    const limit = Number(firstValue(pairs, 'limit') ?? 50);
    const all = inListOrder(shortlist.artists).filter((artist) => matches(artist, pairs));
    const rest = cursor === undefined ? all : all.filter((artist) => isAfter(artist, cursor.end));
    const page = rest.slice(0, limit);
    const withHistory = firstValue(pairs, 'include') === 'history';
    return {
      status: 200,
      data: page.map((artist) => presentArtist(shortlist, artist, scopeSets[scopes], withHistory)),
      meta: listMeta(page.length),
      end: rest.length > limit ? page.at(-1) : undefined,
    };
  },

  artist(shortlist, { id, scopes }) {
    const artist = shortlist.artists.find((one) => one.id === id);
    if (artist === undefined) return { status: 404, code: 'not_found' };
    return {
      status: 200,
      data: presentArtist(shortlist, artist, scopeSets[scopes], true),
      meta: { api_version: 'v1' },
    };
  },

  added(shortlist, { scopes }, pairs, today) {
    if (!isValid('added', pairs)) return invalid;
    const days = Number(firstValue(pairs, 'days') ?? 7);
    const page = inListOrder(shortlist.artists)
      .filter((artist) => isAddedWithin(artist, days, today))
      .slice(0, Number(firstValue(pairs, 'limit') ?? 100));
    return {
      status: 200,
      data: page.map((artist) => presentArtist(shortlist, artist, scopeSets[scopes], false)),
      meta: listMeta(page.length),
    };
  },

  spikes(shortlist, _question, pairs, today) {
    if (!isValid('spikes', pairs)) return invalid;
    const days = Number(firstValue(pairs, 'days') ?? 3);
    const spikes = spikesOf(shortlist, days, today);
    return {
      status: 200,
      data: spikes.map(({ artist, metric, previous, current, delta, percent }) => ({
        artist_id: artist.id,
        artist_name: artist.name,
        metric,
        previous: previous.value,
        current: current.value,
        delta,
        percent_change: percent,
        window: { days, from: previous.date, to: current.date },
        engine,
        links: artist.links['tiktok'] === undefined ? {} : { tiktok: artist.links['tiktok'] },
      })),
      meta: { ...listMeta(spikes.length), window: { days }, engine },
    };
  },

  signings(shortlist, { scopes }) {
    const signings = signingsOf(shortlist);
    return {
      status: 200,
      data: signings.map(({ artist, songs }) => ({
        artist_id: artist.id,
        artist_name: artist.name,
        signing: signingOf(artist, scopeSets[scopes]),
        label_songs: songs.map(({ song, pLine, label }) => ({
          song_id: song.id,
          song_name: song.name,
          p_line: pLine,
          label_detected: label,
          ...(song.rights?.checked_at === undefined ? {} : { checked_at: song.rights.checked_at }),
        })),
        total_label_songs: songs.length,
        basis: [
          ...(artist.signing.status === 'signed' ? ['reviewed_status'] : []),
          ...(songs.length > 0 ? ['label_p_line'] : []),
        ],
      })),
      meta: listMeta(signings.length),
    };
  },
};

export const expectCurrent: Answer = (shortlist, question, pairs, today, cursor) => {
  if (isOverLimit(pairs)) return { status: 431 };
  if (!scopeSets[question.scopes].some((scope) => scope === scopeOf[question.route])) {
    return { status: 403, code: 'insufficient_scope' };
  }
  return answers[question.route](shortlist, question, pairs, today, cursor);
};
