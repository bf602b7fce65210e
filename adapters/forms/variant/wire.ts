import { z } from 'zod';
import { codes } from './problems.ts';

/**
 * The variant form on the wire, member by member in the order they are sent (specification, "Variant (older form) artist
 * and item shapes"). An unknown member is absent; nothing is null.
 */
const number = z.number().optional();
const signedStatus = z.string().describe('`signed`, `unsigned`, or `unknown` where nobody has reviewed it');

export const songWire = z
  .strictObject({
    id: z.string().describe('Identifier of the song, the same in both forms'),
    name: z.string(),
    streams: number,
    ugc_tiktok: number.describe('Videos on TikTok that use the song'),
    ugc_instagram: number.describe('Reels on Instagram that use the song'),
    artwork: z.url().optional(),
  })
  .describe('A song of an artist');

export const artistWire = z
  .strictObject({
    id: z.string().describe('Identifier of the stored document. The current form has identifiers of its own'),
    name: z.string(),
    photo: z.string().optional().describe('URL of a photo'),
    date_added: z.iso.date().optional().describe('The day the artist was added to the shortlist, in UTC'),
    signed_status: signedStatus,
    tier: z.string().optional().describe('`watch`, `on-the-rise`, `breaking` or `established`'),
    links: z
      .record(z.string(), z.string())
      .describe('URLs: of `spotify`, `tiktok`, `instagram`, `youtube`, `website` those that are known'),
    metrics: z
      .record(z.string(), z.number())
      .describe(
        'Current numbers: of `spotify_streams`, `monthly_listeners`, `tiktok_followers`, `instagram_followers`, `social_score` those that are known',
      ),
    songs: z.array(songWire).optional().describe('Newest first. Not with `fields=basic`'),
    scouting_report: z
      .string()
      .optional()
      .describe('Only for keys with the scope `editorial:read`, and not with `fields=basic`'),
    total_songs: z.int().describe('How many songs the artist has, also with `fields=basic`'),
  })
  .describe('An artist of the shortlist. What is not known is left out: never null, never 0 in its place');

export const spikeWire = z
  .strictObject({
    artist_name: z.string(),
    metric: z.string().describe('The metric that moved, like `monthly_listeners`'),
    previous: z.number().describe('The trusted value at the beginning of the period'),
    current: z.number().describe('The latest trusted value'),
    delta: z.number().describe('`current` less `previous`'),
    percent_change: z.number().describe('Growth in per cent of `previous`, two decimals'),
    period_days: z.int(),
    tiktok: z.string().optional().describe('URL of the artist on TikTok'),
  })
  .describe('Recent trusted movement of one metric of one artist');

export const labelSongWire = z
  .strictObject({
    song_name: z.string(),
    pline: z.string().describe('The label-copyright (P-line) as it is printed'),
    label_detected: z.string().describe('The tracked label that was found in it'),
  })
  .describe('A song with a tracked label in its P-line');

export const signingWire = z
  .strictObject({
    artist_name: z.string(),
    signed_status: signedStatus,
    label_songs: z.array(labelSongWire),
    total_label_songs: z.int(),
  })
  .describe('An artist flagged as signed or with a tracked label in a P-line: signals, not proof of a relationship');

export const metaWire = z
  .strictObject({
    api_version: z.literal('v1').describe('Version of the interface'),
    authenticated_as: z.string().describe('The partner that the key was issued to'),
    timestamp: z.iso.datetime().describe('When the answer was made, in UTC with milliseconds'),
  })
  .describe('About the answer');

export const signingsMetaWire = z
  .strictObject({ ...metaWire.shape, labels_tracked: z.array(z.string()).describe('Alphabetical') })
  .describe('About the answer, and the labels that are looked for');

/** How every list begins. */
const listed = {
  success: z.literal(true),
  count: z.int().describe('How many items `data` has'),
};

export const artistListWire = z.strictObject({ ...listed, data: z.array(artistWire), _meta: metaWire });

export const spikeListWire = z.strictObject({
  ...listed,
  period_days: z.int().describe('The comparison window that was used'),
  data: z.array(spikeWire),
  _meta: metaWire,
});

export const signingListWire = z.strictObject({ ...listed, data: z.array(signingWire), _meta: signingsMetaWire });

export const healthWire = z
  .strictObject({
    status: z.literal('ok'),
    api_version: z.literal('v1').describe('Version of the interface'),
    generated_at: z.iso.datetime().describe('When the answer was made, in UTC with milliseconds'),
  })
  .describe('The process is available');

export const errorWire = z
  .strictObject({
    error: z.string().meta({ description: 'What went wrong, for programs', enum: codes }),
    message: z.string().describe('The same for people. Its words are not part of the contract'),
  })
  .describe('Why there is no answer');

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
