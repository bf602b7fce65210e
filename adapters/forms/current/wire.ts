import { z } from 'zod';
import { codes } from './problems.ts';

/**
 * The current form on the wire, member by member in the order they are sent (specification, "Resources and their fields").
 * An unknown member is absent; only `next_cursor` may be null. The descriptions are what partners read in the contract.
 */
const texts = z.record(z.string(), z.string());
const apiVersion = z.literal('v1').describe('Version of the interface');
const generatedAt = z.iso.datetime().describe('When the answer was made, in UTC with milliseconds');

export const historyPointWire = z
  .strictObject({
    date: z.iso.date().describe('The day the value was read, in UTC'),
    value: z.number(),
    estimated: z.literal(true).optional().describe('The value was estimated. Left out when it was not'),
    stale: z.literal(true).optional().describe('The source had nothing newer. Left out when it had'),
    terminal: z.literal(true).optional().describe('The series ends here. Left out when it goes on'),
  })
  .describe('One reading of a metric. A reading without flags is a trusted one');

const historyWire = z
  .record(z.string(), z.array(historyPointWire))
  .describe('Readings by name of metric, oldest first. Only with `include=history` and on the detail');

export const songWire = z
  .strictObject({
    id: z.string().describe('Identifier of the song, the same in both forms'),
    name: z.string(),
    artwork: z.url().optional(),
    preview_url: z.url().optional().describe('A short piece to listen to'),
    source_url: z.string().optional().describe('Where the song can be heard in full'),
    tiktok_url: z.string().optional(),
    added_at: z.string().optional().describe('When the song was added, a day or an instant'),
    metrics: z
      .record(z.string(), z.number())
      .describe('Of `streams`, `ugc_tiktok`, `ugc_instagram` those that are known'),
    history: historyWire.optional(),
    rights: z
      .strictObject({
        p_line: z.string().optional().describe('The label-copyright (P-line) of the recording'),
        checked_at: z.string().optional().describe('When it was last looked at'),
      })
      .optional(),
  })
  .describe('A song of an artist');

const signingStatus = z.string().optional().describe('The reviewed status: `signed`, `unsigned` or `unknown`');
const signingNote = z.string().optional().describe('Only for keys with the scope `signing-notes:read`');

export const artistWire = z
  .strictObject({
    id: z.string().describe('Stable identifier of the artist'),
    name: z.string(),
    photo_url: z.string().optional(),
    genres: z.array(z.string()).optional().describe('An empty list: known to have none'),
    country_code: z.string().optional().describe('ISO 3166-1, two letters'),
    date_added: z.iso.date().optional().describe('The day the artist was added to the shortlist, in UTC'),
    tier: z.string().optional().describe('`watch`, `on-the-rise`, `breaking` or `established`'),
    status: z
      .record(z.string(), z.boolean())
      .describe('Flags: of `active`, `verified`, `shortlisted`, `claimed` those that are known'),
    signing: z
      .strictObject({ status: signingStatus, note: signingNote })
      .describe('A contextual signal, not proof of a relationship'),
    links: texts.describe('URLs: of `spotify`, `tiktok`, `instagram`, `youtube`, `website` those that are known'),
    metrics: z
      .record(z.string(), z.number())
      .describe(
        'Current numbers: of `spotify_streams`, `monthly_listeners`, `tiktok_followers`, `instagram_followers`, `social_score` those that are known',
      ),
    songs: z.array(songWire).describe('Newest first'),
    history: historyWire.optional(),
    freshness: texts.describe('When `metrics`, `songs`, `history` and `signing` were last brought up to date'),
    provenance: z
      .strictObject({ sources: z.array(z.string()).optional(), method: z.string().optional() })
      .describe('Where the numbers come from'),
    data_quality: z
      .strictObject({
        complete: z.boolean().optional(),
        missing_metrics: z.array(z.string()).optional(),
        estimated_points: z.int().optional().describe('How many readings of the history are estimated'),
        warnings: z.array(z.string()).optional(),
      })
      .describe('What is known to be missing or weak'),
    editorial: z
      .strictObject({
        scouting_report: z.string().optional(),
        highlights: z.array(z.string()).optional(),
        updated_at: z.string().optional(),
      })
      .optional()
      .describe('Only for keys with the scope `editorial:read`'),
  })
  .describe('An artist of the shortlist. What is not known is left out: never null, never 0 in its place');

export const engineWire = z
  .strictObject({ name: z.string(), version: z.string() })
  .describe('The signal engine that looked for movement');

export const spikeWire = z
  .strictObject({
    artist_id: z.string().describe('The artist’s `id`'),
    artist_name: z.string(),
    metric: z.string().describe('The metric that moved, like `monthly_listeners`'),
    previous: z.number().describe('The trusted value at the beginning of the window'),
    current: z.number().describe('The latest trusted value'),
    delta: z.number().describe('`current` less `previous`'),
    percent_change: z.number().describe('Growth in per cent of `previous`, two decimals'),
    window: z
      .strictObject({ days: z.int(), from: z.iso.date(), to: z.iso.date() })
      .describe('The comparison window, and the days of the two values that were compared'),
    engine: engineWire,
    links: z.strictObject({ tiktok: z.string().optional() }),
  })
  .describe('Recent trusted movement of one metric of one artist');

export const labelSongWire = z
  .strictObject({
    song_id: z.string(),
    song_name: z.string(),
    p_line: z.string().describe('The label-copyright (P-line) as it is printed'),
    label_detected: z.string().describe('The tracked label that was found in it'),
    checked_at: z.string().optional(),
  })
  .describe('A song with a tracked label in its P-line');

export const signingWire = z
  .strictObject({
    artist_id: z.string().describe('The artist’s `id`'),
    artist_name: z.string(),
    signing: z.strictObject({ status: signingStatus, note: signingNote }),
    label_songs: z.array(labelSongWire),
    total_label_songs: z.int(),
    basis: z.array(z.enum(['reviewed_status', 'label_p_line'])).describe('Why the artist is listed'),
  })
  .describe('Why an artist is on the signings list: contextual signals, not proof of a relationship');

export const metaWire = z
  .strictObject({
    api_version: apiVersion,
    generated_at: generatedAt,
    request_id: z.string().describe('Quote it to support'),
  })
  .describe('About the answer');

export const listMetaWire = z
  .strictObject({
    api_version: apiVersion,
    count: z.int().describe('How many items `data` has'),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null on the last one'),
    generated_at: generatedAt,
    request_id: z.string().describe('Quote it to support'),
  })
  .describe('About the list');

export const spikesMetaWire = z
  .strictObject({
    ...listMetaWire.shape,
    window: z.strictObject({ days: z.int() }).describe('The comparison window that was asked for'),
    engine: engineWire,
  })
  .describe('About the list, and how movement was looked for: an empty list tells it too');

export const artistListWire = z.strictObject({ data: z.array(artistWire), meta: listMetaWire });
export const artistDetailWire = z.strictObject({ data: artistWire, meta: metaWire });
export const spikeListWire = z.strictObject({ data: z.array(spikeWire), meta: spikesMetaWire });
export const signingListWire = z.strictObject({ data: z.array(signingWire), meta: listMetaWire });

export const healthWire = z
  .strictObject({ status: z.literal('ok'), api_version: apiVersion, generated_at: generatedAt })
  .describe('The process is available');

export const errorWire = z
  .strictObject({
    error: z.strictObject({
      code: z.string().meta({ description: 'What went wrong, for programs', enum: codes }),
      message: z.string().describe('The same for people. Its words are not part of the contract'),
      request_id: z.string().describe('Quote it to support'),
    }),
  })
  .describe('Why there is no answer');

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
