import type { Form, Route } from '../form.ts';
import { catalogueTag, numberHeader, ownWindow, textHeader } from '../form-contract.ts';
import {
  addedParameters,
  artistPath,
  artistsParameters,
  noParameters,
  spikesParameters,
} from './params.ts';
import * as wire from './wire.ts';

const structured =
  'The names are those of the windows. A structured field (RFC 9651), see draft-ietf-httpapi-ratelimit-headers-11.';

/** Requests in each window, shared by all keys of an organization (decisions, "Quotas"). */
export const limits = { minute: 10, day: 1000 } as const;

const onlyOwnKeys = 'Absent for keys of the variant form that request this one.';

const entityTag = textHeader(
  'Send it as `If-None-Match` with the same request: the response is 304 if nothing has changed.',
  'W/"oYII1oLBFkYG381nQ2zN12QSPGG"',
  true,
);

/**
 * The tag of artists, optional if they have history. `/added` declares the same tag, because
 * generators make one type of all responses with the same body.
 */
const artistsTag = {
  ...entityTag,
  description: `${entityTag.description} Absent while a part of a history cannot be read.`,
  required: false,
};

/** The texts of the current form's contract, except those in its schemas. */
export const contract: Form['contract'] = {
  title: 'Artist Intelligence API',
  description: `A read-only API for a curated shortlist of music artists: who they are, how their numbers move, who is spiking, who is signed.

This is the **current form**: a successful response is \`{"data": …, "meta": …}\`, an error \`{"error": {"code", "message", "request_id"}}\`.

Call the API from your server and send your key as \`Authorization: Bearer <API_KEY>\`. Never put a key into a browser, an app or a public repository.

Send \`Accept-Encoding: gzip\` to receive longer responses compressed, especially those with history.

Ignore members that you do not know: new ones may be added at any time. Unknown values are left out, never null and never 0.`,
  tags: {
    Artists: 'The shortlist: artists, their songs and their history.',
    Signals: 'What is moving, and who is signed.',
    Service: 'The availability of the service.',
  },
  schemas: {
    ArtistList: wire.artistListWire.describe('A page of artists'),
    ArtistDetail: wire.artistDetailWire.describe('One artist, with history'),
    SpikeList: wire.spikeListWire.describe('Spikes: recent trusted movement'),
    SigningList: wire.signingListWire.describe('Signing indicators'),
    Artist: wire.artistWire,
    Song: wire.songWire,
    HistoryPoint: wire.historyPointWire,
    Spike: wire.spikeWire,
    Engine: wire.engineWire,
    Signing: wire.signingWire,
    SigningState: wire.signingStateWire,
    LabelSong: wire.labelSongWire,
    Meta: wire.metaWire,
    ListMeta: wire.listMetaWire,
    SpikesMeta: wire.spikesMetaWire,
    Health: wire.healthWire,
    Error: wire.errorWire,
    ErrorDetail: wire.errorDetailWire,
  },
  errors: ['Error', 'ErrorDetail'],
  headers: {
    counted: {
      'X-RateLimit-Limit': numberHeader(
        `Requests allowed per minute. ${ownWindow}`,
        limits.minute,
        true,
      ),
      'X-RateLimit-Remaining': numberHeader(
        `Requests left in this minute. ${ownWindow}`,
        limits.minute - 1,
        true,
      ),
      'X-RateLimit-Reset': numberHeader(
        `End of this minute, in epoch seconds. ${ownWindow}`,
        1787400060,
        true,
      ),
      'X-RateLimit-Day-Limit': numberHeader(
        `Requests allowed per UTC day. ${onlyOwnKeys}`,
        limits.day,
        false,
      ),
      'X-RateLimit-Day-Remaining': numberHeader(
        `Requests left in this UTC day. ${onlyOwnKeys}`,
        limits.day - 1,
        false,
      ),
      'X-RateLimit-Day-Reset': numberHeader(
        `End of this UTC day, in epoch seconds. ${onlyOwnKeys}`,
        1787443200,
        false,
      ),
      'RateLimit-Policy': textHeader(
        `Each quota: \`q\` requests in a window of \`w\` seconds. ${structured}`,
        `"minute";q=${limits.minute};w=60, "day";q=${limits.day};w=86400`,
        true,
      ),
      RateLimit: textHeader(
        `Each quota now: \`r\` requests left, and the window ends in \`t\` seconds. ${structured}`,
        `"minute";r=${limits.minute - 1};t=41, "day";r=${limits.day - 1};t=33120`,
        true,
      ),
    },
    read: {},
    succeeded: { ETag: entityTag },
    known: {
      'X-Key-Expires': textHeader(
        'When your key expires: ask for a new one before then. Absent if it does not expire.',
        'Wed, 30 Jun 2027 00:00:00 GMT',
        false,
      ),
    },
  },
  limits,
  examples: {
    'no-key': 'No key',
    'scope-missing': 'The key lacks the scope',
    'method-not-allowed': 'A method other than GET',
    'quota-window-spent': 'The quota of the minute is spent',
    'quota-day-spent': 'The quota of the day is spent',
    'internal-error': 'An internal error',
    outage: 'Something is temporarily unavailable',
  },
};

/** The texts of the current form's routes. */
export const routes = {
  health: {
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Check whether the service is available',
    description: 'Requires no key and uses no quota.',
    success: ['Health', 'The service is available.'],
    raises: [],
    headers: { ETag: catalogueTag },
    examples: { health: 'Available' },
  },
  artists: {
    operationId: 'listArtists',
    tag: 'Artists',
    summary: 'List and search the shortlist',
    description: `Pages of artists, the last added first. An artist is listed if it passes all filters.

For the next page, send \`meta.next_cursor\` as \`cursor\` with the same filters. On the last page it is null.`,
    query: artistsParameters,
    success: ['ArtistList', 'A page of artists; it is empty for an unknown `id` or `tier`.'],
    raises: ['invalid-parameter', 'invalid-cursor'],
    headers: { ETag: artistsTag },
    examples: {
      'artists-limited': 'The first two artists, and the cursor of the next page',
      'artists-by-id': 'One artist, by identifier',
      'artists-with-history-or-basic-fields': 'With history',
      'artists-by-unknown-tier': 'No artist passes the filters',
      'limit-too-high': 'A parameter out of range',
      'parameter-of-the-other-form': 'A parameter of the variant form',
    },
  },
  artist: {
    operationId: 'getArtist',
    tag: 'Artists',
    summary: 'Read one artist with its history',
    description: 'One artist, with the history of every metric of the artist and of its songs.',
    path: artistPath,
    query: noParameters,
    success: ['ArtistDetail', 'The artist.'],
    raises: ['not-found'],
    headers: { ETag: artistsTag },
    examples: {
      'artist-detail': 'An artist with every member',
      'artist-detail-of-nobody': 'No artist has this identifier',
    },
  },
  added: {
    operationId: 'listAddedArtists',
    tag: 'Artists',
    summary: 'List recently added artists',
    description: `Artists added within the last \`days\` days, the last added first. Poll it: every 15 minutes is 96 requests a day, and with \
\`If-None-Match\` an unchanged list is 304 without a body.

The list has one page, so \`next_cursor\` is always null. To page through more artists, use \`/api/v1/artists?added_since=\`.`,
    query: addedParameters,
    success: ['ArtistList', 'The artists.'],
    raises: ['invalid-parameter'],
    headers: { ETag: artistsTag },
    examples: {
      'added-limited': 'The last artist added',
      'added-over-too-many-days': 'A parameter out of range',
    },
  },
  spikes: {
    operationId: 'listSpikes',
    tag: 'Signals',
    summary: 'List recent trusted movement',
    description: `Metrics that grew beyond a threshold within the last \`days\` days, the greatest growth first. Estimated, stale and terminal \
values are not compared. Every item names the two days it compares and the signal engine.`,
    query: spikesParameters,
    success: ['SpikeList', 'The spikes. `meta` names window and engine even if the list is empty.'],
    raises: ['invalid-parameter'],
    examples: {
      spikes: 'Movement within three days',
      'spikes-over-too-many-days': 'A comparison window that is too long',
    },
  },
  signings: {
    operationId: 'listSignings',
    tag: 'Signals',
    summary: 'List signing indicators',
    description: `Artists with the reviewed status \`signed\`, and artists with a tracked label in the label copyright (P-line) of a song. Sorted by name. \
They are contextual signals, not proof of a relationship. Notes require the scope \`signing-notes:read\`.

There are no parameters; any that you send are ignored.`,
    query: noParameters,
    success: ['SigningList', 'The artists, each with the reason why it is listed.'],
    raises: [],
    examples: {
      signings: 'With notes',
      'signings-without-notes': 'For a key without `signing-notes:read`',
    },
  },
} satisfies Record<string, Route['contract']>;
