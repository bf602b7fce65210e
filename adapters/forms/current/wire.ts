import { z } from 'zod';
import type { EveryMember } from '../envelope.ts';
import {
  artistMetricMap,
  freshnessMap,
  linkMap,
  openMetric,
  openSigningStatus,
  openTier,
  songMetricMap,
  statusMap,
} from '../open-values.ts';
import { codes } from './problems.ts';

// Response schemas of the current form, fields in the order they are sent. Unknown values are
// absent; only `next_cursor` may be null. Partners read the descriptions in the contract.

const apiVersion = z.literal('v1').describe('Version of the interface');
const generatedAt = z.iso
  .datetime()
  .describe('When the response was generated, in UTC with milliseconds');
const requestId = z.string().describe('Quote it to support');

export const historyPointWire = z
  .strictObject({
    date: z.iso.date().describe('The day of the value, in UTC'),
    value: z.number().describe('The value of the metric'),
    estimated: z.literal(true).optional().describe('The value is estimated. Absent otherwise'),
    stale: z.literal(true).optional().describe('The source had no newer value. Absent otherwise'),
    terminal: z
      .literal(true)
      .optional()
      .describe('The series ends with this value. Absent otherwise'),
  })
  .describe('The value of a metric on one day. A point without flags is trusted');

const historyWire = z
  .record(z.string(), z.array(historyPointWire))
  .describe(
    'Points by metric, oldest first. With `include=history`, and always in `/artists/{id}`',
  );

export const songWire = z
  .strictObject({
    id: z.string().describe('Identifier of the song, the same in both forms'),
    name: z.string().describe('Title of the song'),
    artwork: z.url().optional().describe('URL of the cover'),
    preview_url: z.url().optional().describe('URL of an audio preview'),
    source_url: z.string().optional().describe('URL of the whole song'),
    tiktok_url: z.string().optional().describe('URL of the sound on TikTok'),
    added_at: z
      .string()
      .optional()
      .describe('When the song was added, usually a day or an instant'),
    metrics: songMetricMap,
    history: historyWire.optional(),
    rights: z
      .strictObject({
        p_line: z.string().optional().describe('The label copyright (P-line) of the recording'),
        checked_at: z.string().optional().describe('When the P-line was last checked'),
      })
      .optional()
      .describe('Rights in the recording'),
  })
  .describe('A song of an artist');

export const signingStateWire = z
  .strictObject({
    status: openSigningStatus
      .optional()
      .describe('The reviewed status: `signed`, `unsigned` or `unknown`'),
    note: z.string().optional().describe('Requires the scope `signing-notes:read`'),
  })
  .describe('A contextual signal, not proof of a relationship');

export const artistWire = z
  .strictObject({
    id: z.string().describe('Stable identifier of the artist'),
    name: z.string().describe('Name of the artist'),
    photo_url: z.string().optional().describe('URL of a photo'),
    genres: z
      .array(z.string())
      .optional()
      .describe('Empty if the artist is known to have no genre'),
    country_code: z.string().optional().describe('ISO 3166-1, two letters'),
    date_added: z.iso
      .date()
      .optional()
      .describe('The day the artist was added to the shortlist, in UTC'),
    tier: openTier.optional(),
    status: statusMap,
    signing: signingStateWire,
    links: linkMap,
    metrics: artistMetricMap,
    songs: z.array(songWire).describe('Newest first'),
    history: historyWire.optional(),
    freshness: freshnessMap,
    provenance: z
      .strictObject({
        sources: z.array(z.string()).optional().describe('Where the data comes from'),
        method: z.string().optional().describe('How it is collected'),
      })
      .describe('The origin of the data'),
    data_quality: z
      .strictObject({
        complete: z.boolean().optional().describe('Whether nothing is missing'),
        missing_metrics: z.array(z.string()).optional().describe('Metrics without a value'),
        estimated_points: z.int().optional().describe('Number of estimated points in the history'),
        warnings: z.array(z.string()).optional().describe('Other weaknesses, for people'),
      })
      .describe('Known gaps and weaknesses of the data'),
    editorial: z
      .strictObject({
        scouting_report: z.string().optional().describe('What a scout wrote about the artist'),
        highlights: z.array(z.string()).optional().describe('Notable facts'),
        updated_at: z.string().optional().describe('When the editorial was last updated'),
      })
      .optional()
      .describe('Requires the scope `editorial:read`'),
  })
  .describe('An artist of the shortlist. Unknown values are left out, never null and never 0');

export const engineWire = z
  .strictObject({
    name: z.string().describe('Its name'),
    version: z.string().describe('Its version'),
  })
  .describe('The signal engine that found the spikes');

export const spikeWire = z
  .strictObject({
    artist_id: z.string().describe('The artist’s `id`'),
    artist_name: z.string().describe('Name of the artist'),
    metric: openMetric,
    previous: z.number().describe('The trusted value at the start of the window'),
    current: z.number().describe('The latest trusted value'),
    delta: z.number().describe('`current` minus `previous`'),
    percent_change: z
      .number()
      .describe('Growth in per cent of `previous`, rounded half up to two decimals'),
    window: z
      .strictObject({
        days: z.int().describe('The days that were requested'),
        from: z.iso.date().describe('The day of `previous`'),
        to: z.iso.date().describe('The day of `current`'),
      })
      .describe('The comparison window'),
    engine: engineWire,
    links: z
      .strictObject({ tiktok: z.string().optional().describe('URL of the profile on TikTok') })
      .describe('URLs'),
  })
  .describe('Recent trusted movement of one metric of one artist');

export const labelSongWire = z
  .strictObject({
    song_id: z.string().describe('The song’s `id`'),
    song_name: z.string().describe('Title of the song'),
    p_line: z.string().describe('The label copyright (P-line) as printed'),
    label_detected: z.string().describe('The tracked label that was detected in the P-line'),
    checked_at: z.string().optional().describe('When the P-line was last checked'),
  })
  .describe('A song with a tracked label in its P-line');

export const signingWire = z
  .strictObject({
    artist_id: z.string().describe('The artist’s `id`'),
    artist_name: z.string().describe('Name of the artist'),
    signing: signingStateWire,
    label_songs: z.array(labelSongWire).describe('The songs with a tracked label in their P-line'),
    total_label_songs: z.int().describe('Number of `label_songs`'),
    basis: z
      .array(z.enum(['reviewed_status', 'label_p_line']))
      .describe('Why the artist is listed'),
  })
  .describe('An artist with signing indicators: contextual signals, not proof of a relationship');

export const metaWire = z
  .strictObject({ api_version: apiVersion, generated_at: generatedAt, request_id: requestId })
  .describe('About the response');

export const listMetaWire = z
  .strictObject({
    api_version: apiVersion,
    count: z.int().describe('Number of items in `data`'),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send it as `cursor` for the next page. Null on the last page'),
    generated_at: generatedAt,
    request_id: requestId,
  })
  .describe('About the list');

export const spikesMetaWire = z
  .strictObject({
    ...listMetaWire.shape,
    window: z
      .strictObject({ days: z.int().describe('Its length in days') })
      .describe('The comparison window'),
    engine: engineWire,
  })
  .describe('About the list, with the comparison window and the signal engine');

export const artistListWire = z.strictObject({
  data: z.array(artistWire).describe('Artists'),
  meta: listMetaWire,
});
export const artistDetailWire = z.strictObject({ data: artistWire, meta: metaWire });
export const spikeListWire = z.strictObject({
  data: z.array(spikeWire).describe('Spikes'),
  meta: spikesMetaWire,
});
export const signingListWire = z.strictObject({
  data: z.array(signingWire).describe('Artists'),
  meta: listMetaWire,
});

export const healthWire = z
  .strictObject({
    status: z.literal('ok').describe('Always `ok`'),
    api_version: apiVersion,
    generated_at: generatedAt,
  })
  .describe('The service is available');

export const errorDetailWire = z
  .strictObject({
    code: z.string().meta({ description: 'The error for your program', enum: codes }),
    message: z.string().describe('The error for people. Its wording may change'),
    request_id: requestId,
  })
  .describe('What went wrong');

export const errorWire = z.strictObject({ error: errorDetailWire }).describe('An error');

export type HistoryPointWire = EveryMember<z.infer<typeof historyPointWire>>;
export type SongWire = EveryMember<z.infer<typeof songWire>>;
export type ArtistWire = EveryMember<z.infer<typeof artistWire>>;
export type SpikeWire = EveryMember<z.infer<typeof spikeWire>>;
export type SigningWire = EveryMember<z.infer<typeof signingWire>>;
export type MetaWire = z.infer<typeof metaWire>;
export type ListMetaWire = z.infer<typeof listMetaWire>;
export type ArtistListWire = z.infer<typeof artistListWire>;
export type ArtistDetailWire = z.infer<typeof artistDetailWire>;
export type SpikeListWire = z.infer<typeof spikeListWire>;
export type SigningListWire = z.infer<typeof signingListWire>;
export type HealthWire = z.infer<typeof healthWire>;
export type ErrorWire = z.infer<typeof errorWire>;
