import type { Form, Route } from '../form.ts';
import { catalogueTag, numberHeader, ownWindow, textHeader } from '../form-contract.ts';
import { artistsParameters, noParameters, spikesParameters } from './params.ts';
import { onlyOverride } from './problems.ts';
import * as wire from './wire.ts';

/** Requests in an hour, for each key (decisions, "Quotas"). */
export const limits = { hour: 100 } as const;

/** The texts of the variant form's contract, except those in its schemas. */
export const contract: Form['contract'] = {
  title: 'Artist Intelligence API (variant form)',
  description: `A read-only API for a curated shortlist of music artists: who they are, how their numbers move, who is spiking, who is signed.

This is the **variant form**, for partners whose key is pinned to it: a successful response is \`{"success", "count", "data", "_meta"}\`, an error \
\`{"error": "code", "message": "…"}\`.

Call the API from your server and send your key as \`Authorization: Bearer <API_KEY>\`. Never put a key into a browser, an app or a public repository.{unknown_key}

Invalid parameters are repaired, never refused: \`X-Params-Adjusted\` lists the values used.

Ignore members that you do not know: new ones may be added at any time. Unknown values are left out, never null and never 0.`,
  tags: {
    Artists: 'The shortlist: artists and their songs.',
    Signals: 'What is moving, and who is signed.',
    Service: 'The availability of the service.',
  },
  schemas: {
    ArtistList: wire.artistListWire.describe('Artists'),
    SpikeList: wire.spikeListWire.describe('Spikes: recent trusted movement'),
    SigningList: wire.signingListWire.describe('Signing indicators'),
    Artist: wire.artistWire,
    Song: wire.songWire,
    Spike: wire.spikeWire,
    Signing: wire.signingWire,
    LabelSong: wire.labelSongWire,
    Meta: wire.metaWire,
    SigningsMeta: wire.signingsMetaWire,
    Health: wire.healthWire,
    Error: wire.errorWire,
    ErrorCode: wire.errorCodeWire,
  },
  errors: ['Error', 'ErrorCode'],
  headers: {
    counted: {
      'X-RateLimit-Limit': numberHeader(
        `Requests allowed per hour. ${ownWindow}`,
        limits.hour,
        true,
      ),
      'X-RateLimit-Remaining': numberHeader(
        `Requests left in this hour. ${ownWindow}`,
        limits.hour - 1,
        true,
      ),
      'X-RateLimit-Reset': numberHeader(
        `End of this hour, in epoch seconds. ${ownWindow}`,
        1787403600,
        true,
      ),
      'X-RateLimit-Day-Limit': numberHeader(
        `Requests allowed per UTC day. ${onlyOverride}`,
        1000,
        false,
      ),
      'X-RateLimit-Day-Remaining': numberHeader(
        `Requests left in this UTC day. ${onlyOverride}`,
        999,
        false,
      ),
      'X-RateLimit-Day-Reset': numberHeader(
        `End of this UTC day, in epoch seconds. ${onlyOverride}`,
        1787443200,
        false,
      ),
    },
    read: {
      'X-Params-Adjusted': textHeader(
        'Every parameter that was repaired or ignored, with the value used: `first` for a text that was sent more than once, `none` for an invalid filter, \
so that the list is empty. `query=none`: the query has more than 2,048 bytes. Unknown parameters are only counted.',
        'limit=200, unknown=1',
        false,
      ),
    },
    succeeded: {},
    known: {
      Deprecation: textHeader(
        'When this form was deprecated for your key: `@` and epoch seconds.',
        '@1782777600',
        false,
      ),
      Sunset: textHeader(
        'When this form ends for your key.',
        'Wed, 30 Jun 2027 00:00:00 GMT',
        false,
      ),
      Link: textHeader(
        'How to move to the current form: as `deprecation`, and as `sunset` too once the end has a date.',
        '</docs/migration>; rel="deprecation", </docs/migration>; rel="sunset"',
        false,
      ),
    },
  },
  limits,
  examples: {
    'key-revoked': 'The key was revoked',
    'no-key': 'No key',
    'method-not-allowed': 'A method other than GET',
    'quota-window-spent': 'The quota of the hour is spent',
    outage: 'Something is temporarily unavailable',
    'internal-error': 'An internal error',
  },
};

/** The texts of the variant form's routes. */
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
    summary: 'List and filter the shortlist',
    description: `Artists, the last added first. An artist is listed if it passes all filters. The list has one page of at most 200 artists.

\`limit=500\` counts as 200 and \`limit=many\` as the default of 100. A filter with an invalid value, like \`tier=x\`, returns an empty list.

To find new artists, poll with \`new=1\`: every 15 minutes is 4 of ${limits.hour} requests an hour.`,
    query: artistsParameters,
    success: ['ArtistList', 'The artists.'],
    raises: ['not-found'],
    examples: {
      'artists-limited': 'The first two artists',
      'artists-by-id': 'One artist, by identifier',
      'artists-with-history-or-basic-fields': 'Basic members only',
      'limit-too-high': 'A parameter was repaired',
      'artists-by-unknown-tier': 'No artist passes the filters',
      sunset: 'For a key with an announced sunset',
      'artists-by-unknown-id': 'No artist has this identifier',
    },
  },
  spikes: {
    operationId: 'listSpikes',
    tag: 'Signals',
    summary: 'List recent trusted movement',
    description: `Metrics that grew beyond a threshold within the last \`days\` days, the greatest growth first. Estimated, stale and terminal \
values are not compared.`,
    query: spikesParameters,
    success: ['SpikeList', 'The spikes.'],
    raises: [],
    examples: {
      spikes: 'Movement within three days',
      'spikes-over-too-many-days': 'A comparison window that was too long',
    },
  },
  signings: {
    operationId: 'listSignings',
    tag: 'Signals',
    summary: 'List signing indicators',
    description: `Artists with the reviewed status \`signed\`, and artists with a tracked label in the label copyright (P-line) of a song. Sorted by name. \
They are contextual signals, not proof of a relationship.`,
    query: noParameters,
    success: ['SigningList', 'The artists, and the tracked labels.'],
    raises: [],
    examples: { signings: 'The whole list' },
  },
} satisfies Record<string, Route['contract']>;
