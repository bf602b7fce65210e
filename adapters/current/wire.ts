import { z } from 'zod';

/**
 * The current form on the wire, member by member in the order they are sent (specification, "Resources and their fields").
 * An unknown member is absent; only `next_cursor` may be null.
 */
const numbers = z.record(z.string(), z.number());
const texts = z.record(z.string(), z.string());

export const historyPointWire = z.strictObject({
  date: z.iso.date(),
  value: z.number(),
  estimated: z.literal(true).optional(),
  stale: z.literal(true).optional(),
  terminal: z.literal(true).optional(),
});

const historyWire = z.record(z.string(), z.array(historyPointWire));

export const songWire = z.strictObject({
  id: z.string(),
  name: z.string(),
  artwork: z.url().optional(),
  preview_url: z.url().optional(),
  source_url: z.string().optional(),
  tiktok_url: z.string().optional(),
  added_at: z.string().optional(),
  metrics: numbers,
  history: historyWire.optional(),
  rights: z.strictObject({ p_line: z.string().optional(), checked_at: z.string().optional() }).optional(),
});

export const artistWire = z.strictObject({
  id: z.string(),
  name: z.string(),
  photo_url: z.string().optional(),
  genres: z.array(z.string()).optional(),
  country_code: z.string().optional(),
  date_added: z.iso.date().optional(),
  tier: z.string().optional(),
  status: z.record(z.string(), z.boolean()),
  signing: z.strictObject({ status: z.string().optional(), note: z.string().optional() }),
  links: texts,
  metrics: numbers,
  songs: z.array(songWire),
  history: historyWire.optional(),
  freshness: texts,
  provenance: z.strictObject({ sources: z.array(z.string()).optional(), method: z.string().optional() }),
  data_quality: z.strictObject({
    complete: z.boolean().optional(),
    missing_metrics: z.array(z.string()).optional(),
    estimated_points: z.int().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  editorial: z
    .strictObject({
      scouting_report: z.string().optional(),
      highlights: z.array(z.string()).optional(),
      updated_at: z.string().optional(),
    })
    .optional(),
});

const engineWire = z.strictObject({ name: z.string(), version: z.string() });

export const spikeWire = z.strictObject({
  artist_id: z.string(),
  artist_name: z.string(),
  metric: z.string(),
  previous: z.number(),
  current: z.number(),
  delta: z.number(),
  percent_change: z.number(),
  window: z.strictObject({ days: z.int(), from: z.iso.date(), to: z.iso.date() }),
  engine: engineWire,
  links: z.strictObject({ tiktok: z.string().optional() }),
});

export const signingWire = z.strictObject({
  artist_id: z.string(),
  artist_name: z.string(),
  signing: z.strictObject({ status: z.string().optional(), note: z.string().optional() }),
  label_songs: z.array(
    z.strictObject({
      song_id: z.string(),
      song_name: z.string(),
      p_line: z.string(),
      label_detected: z.string(),
      checked_at: z.string().optional(),
    }),
  ),
  total_label_songs: z.int(),
  basis: z.array(z.enum(['reviewed_status', 'label_p_line'])),
});

export const metaWire = z.strictObject({
  api_version: z.literal('v1'),
  generated_at: z.iso.datetime(),
  request_id: z.string(),
});

export const listMetaWire = z.strictObject({
  api_version: z.literal('v1'),
  count: z.int(),
  next_cursor: z.string().nullable(),
  generated_at: z.iso.datetime(),
  request_id: z.string(),
});

export const spikesMetaWire = z.strictObject({
  ...listMetaWire.shape,
  window: z.strictObject({ days: z.int() }),
  engine: engineWire,
});

export const artistListWire = z.strictObject({ data: z.array(artistWire), meta: listMetaWire });
export const artistDetailWire = z.strictObject({ data: artistWire, meta: metaWire });
export const spikeListWire = z.strictObject({ data: z.array(spikeWire), meta: spikesMetaWire });
export const signingListWire = z.strictObject({ data: z.array(signingWire), meta: listMetaWire });

export const healthWire = z.strictObject({
  status: z.literal('ok'),
  api_version: z.literal('v1'),
  generated_at: z.iso.datetime(),
});

export const errorWire = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), request_id: z.string() }),
});

export type HistoryPointWire = z.infer<typeof historyPointWire>;
export type SongWire = z.infer<typeof songWire>;
export type ArtistWire = z.infer<typeof artistWire>;
export type SpikeWire = z.infer<typeof spikeWire>;
export type SigningWire = z.infer<typeof signingWire>;
export type MetaWire = z.infer<typeof metaWire>;
export type ListMetaWire = z.infer<typeof listMetaWire>;
export type ArtistListWire = z.infer<typeof artistListWire>;
export type ArtistDetailWire = z.infer<typeof artistDetailWire>;
export type SpikeListWire = z.infer<typeof spikeListWire>;
export type SigningListWire = z.infer<typeof signingListWire>;
export type HealthWire = z.infer<typeof healthWire>;
export type ErrorWire = z.infer<typeof errorWire>;
