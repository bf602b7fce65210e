import { createRandom, type Random } from './random.ts';
import {
  adjectives,
  countries,
  genres,
  labels,
  nouns,
  otherScripts,
  sentences,
  tiers,
} from './words.ts';

/** A stored document of the collection `artists`, of about four kilobytes. */
export type ArtistDocument = Readonly<Record<string, unknown>> & {
  readonly _id: string;
  readonly id: string;
  readonly name: string;
  readonly metrics: Readonly<Record<string, number>>;
  readonly songs: readonly { readonly id: string; readonly metrics: object }[];
};

/** The last day of all generated data, so that runs have the same bytes. */
export const lastDay = Date.UTC(2025, 11, 31);
const dayMs = 86_400_000;

export const dayBefore = (days: number, from = lastDay): string =>
  new Date(from - days * dayMs).toISOString().slice(0, 10);

const songsEach = 7;

/** More than any generated artist has. */
export const mostListeners = 1e7;

/**
 * Six names of a hundred are outside Latin-1. Every name ends in its number, so that a search finds
 * it alone.
 */
const nameOf = (random: Random, index: number): string =>
  random.chance(0.06)
    ? `${random.pick(otherScripts)} ${index}`
    : `${random.pick(adjectives)} ${random.pick(nouns)} ${index}`;

const songOf = (random: Random, artistId: string, index: number) => {
  const id = `sng_${artistId.slice(4)}${index}`;
  return {
    id,
    name: `${random.pick(adjectives)} ${random.pick(nouns)}`,
    artwork: `https://media.example.com/artwork/${id}.jpg`,
    preview_url: `https://media.example.com/previews/${id}.mp3`,
    source_url: `https://spotify.example/track/${id}`,
    added_at: `${dayBefore(index * 40 + random.below(40))}T07:00:00.000Z`,
    metrics: {
      streams: random.below(1e9),
      ugc_tiktok: random.below(1e5),
      ugc_instagram: random.below(1e5),
    },
    rights: {
      p_line: `℗ 2025 ${random.chance(0.1) ? random.pick(labels) : 'the artist'}`,
      checked_at: '2025-12-20T08:30:00.000Z',
    },
  };
};

/** The artist at an index, the same in every run. Higher indexes were added earlier. */
export const generateArtist = (index: number): ArtistDocument => {
  const random = createRandom(index + 1);
  const id = `art_${index.toString(36).padStart(6, '0')}`;
  return {
    _id: index.toString(16).padStart(24, '0'),
    id,
    name: nameOf(random, index),
    photo_url: `https://media.example.com/photos/${id}.jpg`,
    genres: [random.pick(genres), random.pick(genres)],
    country_code: random.pick(countries),
    date_added: dayBefore(Math.floor(index / 20)),
    tier: random.pick(tiers),
    status: {
      active: true,
      verified: random.chance(0.5),
      shortlisted: true,
      claimed: random.chance(0.2),
    },
    signing: {
      status: random.pick(['signed', 'unsigned', 'unsigned', 'unknown']),
      note: random.pick(sentences),
    },
    links: {
      spotify: `https://spotify.example/artist/${id}`,
      tiktok: `https://tiktok.example/@${id}`,
      website: `https://${id.slice(4)}.example/`,
    },
    metrics: {
      spotify_streams: random.below(1e10),
      monthly_listeners: random.below(mostListeners),
      tiktok_followers: random.below(1e6),
      instagram_followers: random.below(1e6),
      social_score: random.below(1000) / 10,
    },
    songs: Array.from({ length: songsEach }, (_, song) => songOf(random, id, song)),
    freshness: { metrics: '2025-12-31T00:30:00.000Z', songs: '2025-12-31T00:45:00.000Z' },
    provenance: {
      sources: ['streaming counts', 'public profiles'],
      method: 'Collected daily and reviewed by a person.',
    },
    data_quality: {
      complete: true,
      missing_metrics: [],
      estimated_points: random.below(5),
      warnings: [],
    },
    editorial: {
      scouting_report: `${random.pick(sentences)} ${random.pick(sentences)}`,
      highlights: [random.pick(sentences)],
    },
    updated_at: '2025-12-31T00:50:00.000Z',
  };
};
