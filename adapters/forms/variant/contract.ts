import type { Form, Route } from '../form.ts';
import { artistsParameters, noParameters, spikesParameters } from './params.ts';
import {
  artistListWire,
  artistWire,
  errorWire,
  healthWire,
  labelSongWire,
  metaWire,
  signingListWire,
  signingsMetaWire,
  signingWire,
  songWire,
  spikeListWire,
  spikeWire,
} from './wire.ts';

/** What partners are told of the variant form, beside its schemas and its table of problems. */
const count = (description: string, example: number, required: boolean) =>
  ({ description, required, schema: { type: 'integer' }, example }) as const;

const text = (description: string, example: string) =>
  ({ description, required: false, schema: { type: 'string' }, example }) as const;

const ofTheDay = 'Only when a key of the current form looks through this one.';

export const contract: Form['contract'] = {
  title: 'Artist Intelligence API (variant form)',
  description: `A curated shortlist of music artists, read-only: who they are, how their numbers move, who is spiking, who is signed.

This is the **variant form**, for partners whose key is pinned to it: every answer is \`{"success", "count", "data", "_meta"}\`, every refusal \
\`{"error": "code", "message": "…"}\`. Call it from a server, with the API key in \`Authorization: Bearer <API_KEY>\`; a key never belongs \
into a browser, an app or a public repository.

Parameters are never refused: they are repaired, and \`X-Params-Adjusted\` tells how. A request without a key that is known belongs to no form and \
is refused in the shape of the current form. Members may be added to answers at any time: ignore those you do not know. What is not known is \
left out, never null and never 0.`,
  tags: {
    Artists: 'The shortlist: artists and their songs.',
    Signals: 'What is moving, and who is signed.',
    Service: 'Whether the service is there.',
  },
  schemas: {
    ArtistList: artistListWire.describe('Artists'),
    SpikeList: spikeListWire.describe('Recent trusted movement'),
    SigningList: signingListWire.describe('Signing indicators'),
    Artist: artistWire,
    Song: songWire,
    Spike: spikeWire,
    Signing: signingWire,
    LabelSong: labelSongWire,
    Meta: metaWire,
    SigningsMeta: signingsMetaWire,
    Health: healthWire,
    Error: errorWire,
  },
  error: 'Error',
  problems: {
    unauthorized: 'The key is revoked or expired, or it lacks the scope that the message names.',
    'insufficient-scope': 'The key is revoked or expired, or it lacks the scope that the message names.',
    'not-found': 'No artist has this identifier.',
    'method-not-allowed': 'Only GET is supported.',
    'window-spent': 'The hour’s quota is spent. Wait as long as `Retry-After` says.',
    'day-spent': 'The quota of the UTC day is spent. Only when a key of the current form looks through this one.',
    unavailable: 'An error of the service. With `Retry-After` it is one of a moment: try again after so many seconds.',
    bug: 'An error of the service. With `Retry-After` it is one of a moment: try again after so many seconds.',
  },
  headers: {
    counted: {
      'X-RateLimit-Limit': count('Requests allowed per hour.', 100, true),
      'X-RateLimit-Remaining': count('Requests left in this hour.', 99, true),
      'X-RateLimit-Reset': count('When the hour ends, in epoch seconds.', 1787403600, true),
      'X-RateLimit-Day-Limit': count(`Requests allowed per UTC day. ${ofTheDay}`, 1000, false),
      'X-RateLimit-Day-Remaining': count(`Requests left in this UTC day. ${ofTheDay}`, 999, false),
      'X-RateLimit-Day-Reset': count(`When the UTC day ends, in epoch seconds. ${ofTheDay}`, 1787443200, false),
    },
    read: {
      'X-Params-Adjusted': text(
        'Every parameter that was repaired or ignored, with the value used instead. Those unknown here are only counted.',
        'limit=200, unknown=1',
      ),
    },
    answered: {},
    known: {
      Deprecation: text('Since when this form is deprecated for the key: `@` and epoch seconds.', '@1782777600'),
      Sunset: text('When this form ends for the key.', 'Wed, 30 Jun 2027 00:00:00 GMT'),
      Link: text('Where to read how to move.', '</docs/migration>; rel="deprecation"'),
    },
  },
  examples: {
    'key-revoked': 'The key was revoked',
    'method-not-allowed': 'A method other than GET',
    'quota-window-spent': 'The hour is spent',
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
    summary: 'List and filter the shortlist',
    description: `All artists, the last added first. Filters are combined: an artist has to pass all of them. There are no pages: \`limit\` is at most 200.

A number that is no number takes its default, one out of range the nearest that is allowed; a filter that cannot be understood gives an empty \
list. To hear of additions, poll with \`new=1\`: every 15 minutes is 4 of 100 requests an hour.`,
    query: artistsParameters,
    success: ['ArtistList', 'The artists.'],
    raises: ['not-found'],
    examples: {
      'artists-limited': 'The first two artists',
      'artists-by-id': 'One artist, by identifier',
      'artists-with-history-or-basic-fields': 'With the basic members only',
      'limit-too-high': 'A parameter was repaired',
      'artists-by-unknown-tier': 'Nobody passes the filters',
      sunset: 'For a key whose form ends',
      'artists-by-unknown-id': 'Nobody has this identifier',
    },
  },
  spikes: {
    operationId: 'listSpikes',
    tag: 'Signals',
    summary: 'List recent trusted movement',
    description: `Metrics that have grown beyond a threshold within the last \`days\` days, the greatest growth first. Estimated, stale and terminal \
readings never count.`,
    query: spikesParameters,
    success: ['SpikeList', 'The movement.'],
    raises: [],
    examples: { spikes: 'Movement within three days', 'spikes-over-too-many-days': 'A window that was too long' },
  },
  signings: {
    operationId: 'listSignings',
    tag: 'Signals',
    summary: 'List signing indicators',
    description: `Artists whose reviewed status is signed, or with a tracked label in the label-copyright (P-line) of a song, by name. \
Contextual signals: no proof of a relationship.`,
    query: noParameters,
    success: ['SigningList', 'The artists, and the labels that are looked for.'],
    raises: [],
    examples: { signings: 'All of them' },
  },
} satisfies Record<string, Route['contract']>;
