import { z } from 'zod';

/**
 * The variant form on the wire, member by member in the order they are sent (specification, "Variant (older form) artist
 * and item shapes"). An unknown member is absent; nothing is null.
 */
const numbers = z.record(z.string(), z.number());
const texts = z.record(z.string(), z.string());

export const songWire = z.strictObject({
  id: z.string(),
  name: z.string(),
  streams: z.number().optional(),
  ugc_tiktok: z.number().optional(),
  ugc_instagram: z.number().optional(),
  artwork: z.url().optional(),
});

export const artistWire = z.strictObject({
  id: z.string(),
  name: z.string(),
  photo: z.string().optional(),
  date_added: z.iso.date().optional(),
  signed_status: z.string(),
  tier: z.string().optional(),
  links: texts,
  metrics: numbers,
  songs: z.array(songWire).optional(),
  scouting_report: z.string().optional(),
  total_songs: z.int(),
});

export const spikeWire = z.strictObject({
  artist_name: z.string(),
  metric: z.string(),
  previous: z.number(),
  current: z.number(),
  delta: z.number(),
  percent_change: z.number(),
  period_days: z.int(),
  tiktok: z.string().optional(),
});

export const signingWire = z.strictObject({
  artist_name: z.string(),
  signed_status: z.string(),
  label_songs: z.array(z.strictObject({ song_name: z.string(), pline: z.string(), label_detected: z.string() })),
  total_label_songs: z.int(),
});

export const metaWire = z.strictObject({
  api_version: z.literal('v1'),
  authenticated_as: z.string(),
  timestamp: z.iso.datetime(),
});

export const signingsMetaWire = z.strictObject({ ...metaWire.shape, labels_tracked: z.array(z.string()) });

export const artistListWire = z.strictObject({
  success: z.literal(true),
  count: z.int(),
  data: z.array(artistWire),
  _meta: metaWire,
});

export const spikeListWire = z.strictObject({
  success: z.literal(true),
  count: z.int(),
  period_days: z.int(),
  data: z.array(spikeWire),
  _meta: metaWire,
});

export const signingListWire = z.strictObject({
  success: z.literal(true),
  count: z.int(),
  data: z.array(signingWire),
  _meta: signingsMetaWire,
});

export const healthWire = z.strictObject({
  status: z.literal('ok'),
  api_version: z.literal('v1'),
  generated_at: z.iso.datetime(),
});

export const errorWire = z.strictObject({ error: z.string(), message: z.string() });

export type SongWire = z.infer<typeof songWire>;
export type ArtistWire = z.infer<typeof artistWire>;
export type SpikeWire = z.infer<typeof spikeWire>;
export type SigningWire = z.infer<typeof signingWire>;
export type MetaWire = z.infer<typeof metaWire>;
export type ArtistListWire = z.infer<typeof artistListWire>;
export type SpikeListWire = z.infer<typeof spikeListWire>;
export type SigningListWire = z.infer<typeof signingListWire>;
export type HealthWire = z.infer<typeof healthWire>;
export type ErrorWire = z.infer<typeof errorWire>;
