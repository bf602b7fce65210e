import { z } from 'zod';
import { artistMetrics, signingStatuses, tiers } from '../../src/domain/model.ts';

// Schemas of open sets of values that both forms have. Known keys or texts are declared, so that
// generated clients complete them; other values are valid too.

/**
 * An object whose declared keys are all optional, by name with their descriptions. Any other key
 * has a value of the same type.
 */
const openMap = <Key extends string, Value extends z.ZodType>(
  value: Value,
  texts: Readonly<Record<Key, string>>,
) => {
  const declared = Object.entries<string>(texts).map(([key, text]) => [
    key,
    value.optional().describe(text),
  ]);
  // `Object.fromEntries` loses the names of the keys.
  const shape = Object.fromEntries(declared) as Record<Key, z.ZodOptional<Value>>;
  return z.object(shape).catchall(value);
};

/** The current tiers, as a phrase. */
export const knownTiers = '`watch`, `on-the-rise`, `breaking` or `established`';

/**
 * A tier: a known tier, or a future tier. A plain string, because generators cannot use a union of
 * a list and any text.
 */
export const openTier = z
  .string()
  .meta({ description: `${knownTiers}. More may be added`, examples: [...tiers] });

/** A reviewed status, open like a tier. */
export const openSigningStatus = z.string().meta({ examples: [...signingStatuses] });

/** A metric of spikes, open like a tier. */
export const openMetric = z.string().meta({
  description:
    'The metric that grew: `spotify_streams`, `monthly_listeners`, `tiktok_followers`, `instagram_followers` or `social_score`. More may be added',
  examples: [...artistMetrics],
});

export const linkMap = openMap(z.string(), {
  spotify: 'URL of the profile on Spotify',
  tiktok: 'URL of the profile on TikTok',
  instagram: 'URL of the profile on Instagram',
  youtube: 'URL of the channel on YouTube',
  website: 'URL of the artist’s own site',
}).describe('URLs, those that are known. More keys may be added');

export const artistMetricMap = openMap(z.number(), {
  spotify_streams: 'Streams on Spotify',
  monthly_listeners: 'Monthly listeners on Spotify',
  tiktok_followers: 'Followers on TikTok',
  instagram_followers: 'Followers on Instagram',
  social_score: 'Score of the presence on social networks, with decimals',
}).describe('Current values, those that are known. More keys may be added');

export const songMetricMap = openMap(z.number(), {
  streams: 'Streams of the song',
  ugc_tiktok: 'TikTok videos that use the song',
  ugc_instagram: 'Instagram reels that use the song',
}).describe('Current values, those that are known. More keys may be added');

export const statusMap = openMap(z.boolean(), {
  active: 'Whether the artist is active',
  verified: 'Whether the identity is verified',
  shortlisted: 'Whether the artist is on the shortlist',
  claimed: 'Whether the artist has claimed the profile',
}).describe('Flags, those that are known. More keys may be added');

export const freshnessMap = openMap(z.string(), {
  metrics: 'When the metrics were last updated',
  songs: 'When the songs were last updated',
  history: 'When the history was last updated',
  signing: 'When the signing status was last updated',
}).describe(
  'When parts of the data were last updated, usually a day or an instant. More keys may be added',
);

/**
 * Metadata that gives a parameter an example. The examples of `/artists` together find an artist of
 * the example catalogue: importers may send all of them in one request.
 */
export const exampleValue = <Value extends string | number | boolean>(example: Value) => ({
  param: { example },
});
