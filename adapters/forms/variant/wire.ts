import { z } from 'zod';
import type { EveryMember } from '../envelope.ts';
import {
  artistMetricMap,
  linkMap,
  openMetric,
  openSigningStatus,
  openTier,
} from '../open-values.ts';
import { codes } from './problems.ts';

// Response schemas of the variant form, fields in the order they are sent. Unknown values are
// absent; nothing is null. Partners read the descriptions in the contract.

const number = z.number().optional();
const signedStatus = openSigningStatus.describe(
  'The reviewed status: `signed`, `unsigned`, or `unknown` if it has not been reviewed',
);

export const songWire = z
  .strictObject({
    id: z.string().describe('Identifier of the song, the same in both forms'),
    name: z.string().describe('Title of the song'),
    streams: number.describe('Streams of the song'),
    ugc_tiktok: number.describe('TikTok videos that use the song'),
    ugc_instagram: number.describe('Instagram reels that use the song'),
    artwork: z.url().optional().describe('URL of the cover'),
  })
  .describe('A song of an artist');

export const artistWire = z
  .strictObject({
    id: z
      .string()
      .describe(
        'Identifier in this form, not in the current one: any text, not always 24 hex digits',
      ),
    name: z.string().describe('Name of the artist'),
    photo: z.string().optional().describe('URL of a photo'),
    date_added: z.iso
      .date()
      .optional()
      .describe('The day the artist was added to the shortlist, in UTC'),
    signed_status: signedStatus,
    tier: openTier.optional(),
    links: linkMap,
    metrics: artistMetricMap,
    songs: z.array(songWire).optional().describe('Newest first. Absent with `fields=basic`'),
    scouting_report: z
      .string()
      .optional()
      .describe('Requires the scope `editorial:read`. Absent with `fields=basic`'),
    total_songs: z.int().describe('Number of songs, also with `fields=basic`'),
  })
  .describe('An artist of the shortlist. Unknown values are left out, never null and never 0');

export const spikeWire = z
  .strictObject({
    artist_name: z.string().describe('Name of the artist'),
    metric: openMetric,
    previous: z.number().describe('The trusted value at the start of the period'),
    current: z.number().describe('The latest trusted value'),
    delta: z.number().describe('`current` minus `previous`'),
    percent_change: z
      .number()
      .describe('Growth in per cent of `previous`, rounded half up to two decimals'),
    period_days: z.int().describe('The comparison window in days'),
    tiktok: z.string().optional().describe('URL of the artist’s TikTok profile'),
  })
  .describe('Recent trusted movement of one metric of one artist');

export const labelSongWire = z
  .strictObject({
    song_name: z.string().describe('Title of the song'),
    pline: z.string().describe('The label copyright (P-line) as printed'),
    label_detected: z.string().describe('The tracked label that was detected in the P-line'),
  })
  .describe('A song with a tracked label in its P-line');

export const signingWire = z
  .strictObject({
    artist_name: z.string().describe('Name of the artist'),
    signed_status: signedStatus,
    label_songs: z.array(labelSongWire).describe('The songs with a tracked label in their P-line'),
    total_label_songs: z.int().describe('Number of `label_songs`'),
  })
  .describe('An artist with signing indicators: contextual signals, not proof of a relationship');

export const metaWire = z
  .strictObject({
    api_version: z.literal('v1').describe('Version of the interface'),
    authenticated_as: z.string().describe('The partner that the key was issued to'),
    timestamp: z.iso
      .datetime()
      .describe('When the response was generated, in UTC with milliseconds'),
  })
  .describe('About the response');

export const signingsMetaWire = z
  .strictObject({
    ...metaWire.shape,
    labels_tracked: z.array(z.string()).describe('The tracked labels, alphabetical'),
  })
  .describe('About the response, with the tracked labels');

/** The first fields of every list. */
const listed = {
  success: z.literal(true).describe('Always `true`'),
  count: z.int().describe('Number of items in `data`'),
};

export const artistListWire = z.strictObject({
  ...listed,
  data: z.array(artistWire).describe('The artists'),
  _meta: metaWire,
});

export const spikeListWire = z.strictObject({
  ...listed,
  period_days: z.int().describe('The comparison window that was used'),
  data: z.array(spikeWire).describe('The spikes'),
  _meta: metaWire,
});

export const signingListWire = z.strictObject({
  ...listed,
  data: z.array(signingWire).describe('The artists'),
  _meta: signingsMetaWire,
});

export const healthWire = z
  .strictObject({
    status: z.literal('ok').describe('Always `ok`'),
    api_version: z.literal('v1').describe('Version of the interface'),
    generated_at: z.iso
      .datetime()
      .describe('When the response was generated, in UTC with milliseconds'),
  })
  .describe('The service is available');

export const errorCodeWire = z
  .string()
  .meta({ description: 'The error for your program', enum: codes });

export const errorWire = z
  .strictObject({
    error: errorCodeWire,
    message: z.string().describe('The error for people. Its wording may change'),
  })
  .describe('An error');

export type SongWire = EveryMember<z.infer<typeof songWire>>;
export type ArtistWire = EveryMember<z.infer<typeof artistWire>>;
export type SpikeWire = EveryMember<z.infer<typeof spikeWire>>;
export type SigningWire = EveryMember<z.infer<typeof signingWire>>;
export type MetaWire = z.infer<typeof metaWire>;
export type ArtistListWire = z.infer<typeof artistListWire>;
export type SpikeListWire = z.infer<typeof spikeListWire>;
export type SigningListWire = z.infer<typeof signingListWire>;
export type HealthWire = z.infer<typeof healthWire>;
export type ErrorWire = z.infer<typeof errorWire>;
