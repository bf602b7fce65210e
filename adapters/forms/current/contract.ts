import type { Form, Route } from '../form.ts';
import { addedParameters, artistPath, artistsParameters, noParameters, spikesParameters } from './params.ts';
import {
  artistDetailWire,
  artistListWire,
  artistWire,
  engineWire,
  errorWire,
  healthWire,
  historyPointWire,
  labelSongWire,
  listMetaWire,
  metaWire,
  signingListWire,
  signingWire,
  songWire,
  spikeListWire,
  spikesMetaWire,
  spikeWire,
} from './wire.ts';

/** What partners are told of the current form, beside its schemas and its table of problems. */
const count = (description: string, example: number, required: boolean) =>
  ({ description, required, schema: { type: 'integer' }, example }) as const;

const ofTheDay = 'Not when a key of the other form looks through this one.';

const entityTag = {
  description: 'Identifies the data. Send it as `If-None-Match` with the same question: 304 when nothing has changed.',
  required: true,
  schema: { type: 'string' },
  example: 'W/"oYII1oLBFkYG381nQ2zN12QSPGG"',
} as const;

export const contract: Form['contract'] = {
  title: 'Artist Intelligence API',
  description: `A curated shortlist of music artists, read-only: who they are, how their numbers move, who is spiking, who is signed.

This is the **current form**: every answer is \`{"data": …, "meta": …}\`, every refusal \`{"error": {"code", "message", "request_id"}}\`. \
Call it from a server, with the API key in \`Authorization: Bearer <API_KEY>\`; a key never belongs into a browser, an app or a public repository.

Longer answers are sent as gzip to clients that accept it (\`Accept-Encoding: gzip\`): ask for it, above all with history.

Members may be added to answers at any time: ignore those you do not know. What is not known is left out, never null and never 0.`,
  tags: {
    Artists: 'The shortlist: artists, their songs and their history.',
    Signals: 'What is moving, and who is signed.',
    Service: 'Whether the service is there.',
  },
  schemas: {
    ArtistList: artistListWire.describe('A page of artists'),
    ArtistDetail: artistDetailWire.describe('One artist, with history'),
    SpikeList: spikeListWire.describe('Recent trusted movement'),
    SigningList: signingListWire.describe('Signing indicators'),
    Artist: artistWire,
    Song: songWire,
    HistoryPoint: historyPointWire,
    Spike: spikeWire,
    Engine: engineWire,
    Signing: signingWire,
    LabelSong: labelSongWire,
    Meta: metaWire,
    ListMeta: listMetaWire,
    SpikesMeta: spikesMetaWire,
    Health: healthWire,
    Error: errorWire,
  },
  error: 'Error',
  problems: {
    'invalid-parameter': 'A parameter is out of range, repeated, empty or unknown; the message says what is allowed.',
    'invalid-cursor': 'The cursor is not one, or belongs to other filters. Begin at the first page again.',
    unauthorized: 'The key is missing, unknown, revoked or expired.',
    'insufficient-scope': 'The key is good, and lacks the scope that the message names.',
    'not-found': 'There is no artist with this identifier.',
    'method-not-allowed': 'Only GET is supported.',
    'window-spent': 'The minute’s quota is spent. Wait as long as `Retry-After` says.',
    'day-spent': 'The quota of the UTC day is spent. Wait as long as `Retry-After` says.',
    unavailable: 'Keys, usage controls or artist data are unavailable for a moment. Try again after `Retry-After`.',
    bug: 'An error of the service, and not of the request. Quote the `request_id` to support.',
  },
  headers: {
    counted: {
      'X-RateLimit-Limit': count('Requests allowed per minute.', 10, true),
      'X-RateLimit-Remaining': count('Requests left in this minute.', 9, true),
      'X-RateLimit-Reset': count('When the minute ends, in epoch seconds.', 1787400060, true),
      'X-RateLimit-Day-Limit': count(`Requests allowed per UTC day. ${ofTheDay}`, 1000, false),
      'X-RateLimit-Day-Remaining': count(`Requests left in this UTC day. ${ofTheDay}`, 999, false),
      'X-RateLimit-Day-Reset': count(`When the UTC day ends, in epoch seconds. ${ofTheDay}`, 1787443200, false),
    },
    read: {},
    answered: { ETag: entityTag },
    known: {},
  },
  examples: {
    'no-key': 'No key',
    'method-not-allowed': 'A method other than GET',
    'quota-window-spent': 'The minute is spent',
    'quota-day-spent': 'The day is spent',
  },
};

export const routes = {
  health: {
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Ask whether the service is there',
    description: 'Needs no key and spends no quota.',
    success: ['Health', 'The process is available.'],
    raises: [],
    examples: { health: 'Available' },
  },
  artists: {
    operationId: 'listArtists',
    tag: 'Artists',
    summary: 'List and search the shortlist',
    description: `All artists, the last added first, a page at a time. Filters are combined: an artist has to pass all of them.

While \`meta.next_cursor\` is not null there is another page: ask again with it as \`cursor\` and the same filters.`,
    query: artistsParameters,
    success: ['ArtistList', 'A page of artists. An unknown `id` or `tier` gives an empty one.'],
    raises: ['invalid-parameter', 'invalid-cursor'],
    examples: {
      'artists-limited': 'The first two artists, and the cursor of the next page',
      'artists-by-id': 'One artist, by identifier',
      'artists-with-history-or-basic-fields': 'With history',
      'artists-by-unknown-tier': 'Nobody passes the filters',
      'limit-too-high': 'A parameter out of range',
      'parameter-of-the-other-form': 'A parameter of the variant form',
    },
  },
  artist: {
    operationId: 'getArtist',
    tag: 'Artists',
    summary: 'Read one artist with its history',
    description: 'Everything about one artist, with the history of every metric of the artist and of each song.',
    path: artistPath,
    query: noParameters,
    success: ['ArtistDetail', 'The artist.'],
    raises: ['not-found'],
    examples: {
      'artist-detail': 'An artist with every member',
      'artist-detail-of-nobody': 'Nobody has this identifier',
    },
  },
  added: {
    operationId: 'listAddedArtists',
    tag: 'Artists',
    summary: 'List who was added lately',
    description: `Artists added within the last \`days\` days, the last added first. Made for polling: every 15 minutes is 96 requests a day, and with \
\`If-None-Match\` an answer that has not changed is 304 without a body.

There are no further pages, \`next_cursor\` is always null: to page, ask \`/api/v1/artists?added_since=\`.`,
    query: addedParameters,
    success: ['ArtistList', 'The artists.'],
    raises: ['invalid-parameter'],
    examples: { 'added-limited': 'The last artist added' },
  },
  spikes: {
    operationId: 'listSpikes',
    tag: 'Signals',
    summary: 'List recent trusted movement',
    description: `Metrics that have grown beyond a threshold within the last \`days\` days, the greatest growth first. Estimated, stale and terminal \
readings never count. Every item names the days it compares and the engine that found it.`,
    query: spikesParameters,
    success: ['SpikeList', 'The movement. `meta` names window and engine even when there is none.'],
    raises: ['invalid-parameter'],
    examples: {
      spikes: 'Movement within three days',
      'spikes-over-too-many-days': 'A window that is too long',
      'scope-missing': 'The key lacks the scope',
    },
  },
  signings: {
    operationId: 'listSignings',
    tag: 'Signals',
    summary: 'List signing indicators',
    description: `Artists whose reviewed status is signed, or with a tracked label in the label-copyright (P-line) of a song, by name. \
Contextual signals: no proof of a relationship. Notes are there only for keys with the scope \`signing-notes:read\`.`,
    query: noParameters,
    success: ['SigningList', 'The artists, and why each of them is listed.'],
    raises: [],
    examples: { signings: 'With notes', 'signings-without-notes': 'For a key without the scope of notes' },
  },
} satisfies Record<string, Route['contract']>;
