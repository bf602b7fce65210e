import { expect } from 'chai';
import { scopes } from '../../../src/domain/caller.ts';
import { addDays } from '../../../src/domain/day.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { HistorySource } from '../../../src/ports.ts';
import { buildArtist, buildKey, buildPoint, buildSeries, buildSong, keySourceOf } from '../builders.ts';
import { createManualClock } from '../clock.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import { createTestSource, type Shortlist } from '../source.ts';
import { today } from './numbered-artists.ts';

/** An artist with a note, an editorial, a spike, and a song with a series and a tracked label. */
export const ada = buildArtist({
  id: 'ada',
  name: 'Ada',
  dateAdded: today,
  tier: 'watch',
  signing: { status: 'signed', note: 'A note on Ada.' },
  editorial: { scoutingReport: 'A report on Ada.', highlights: ['Ada in one line'], updatedAt: undefined },
  songs: [
    buildSong({ id: 'sng_ada', rights: { pLine: '℗ 2026 Korvane', checkedAt: undefined } }),
    buildSong({ id: 'sng_silent' }),
  ],
});

/** An artist with a name only, added a week ago. */
export const ben = buildArtist({ id: 'ben', name: 'Ben', dateAdded: addDays(today, -7) });

export const korvane = { name: 'Korvane', aliases: [] };

export const series = [
  buildSeries({
    artistId: 'ada',
    metric: 'monthly_listeners',
    points: [
      buildPoint(addDays(today, -7), 5_000),
      buildPoint(addDays(today, -3), 10_000),
      buildPoint(addDays(today, -1), 11_000, { estimated: true }),
      buildPoint(today, 15_000),
    ],
  }),
  buildSeries({
    artistId: 'ada',
    songId: 'sng_ada',
    metric: 'streams',
    points: [buildPoint(today, 7, { stale: true, terminal: true })],
  }),
  buildSeries({ artistId: 'ada', songId: 'sng_gone', metric: 'streams', points: [buildPoint(today, 1)] }),
];

export const smallShortlist: Shortlist = { artists: [ada, ben], series, labels: [korvane] };

export const withLaterUpdate = (artist: Artist): Artist => ({ ...artist, updatedAt: artist.updatedAt + 1 });

/** Keys that differ only in their scopes, but for `variant`. */
export const viewers = {
  all: buildKey({ id: 'all' }),
  colleague: buildKey({ id: 'colleague', partner: 'Somebody else' }),
  noNotes: buildKey({ id: 'noNotes', scopes: scopes.filter((scope) => scope !== 'signing-notes:read') }),
  noEditorial: buildKey({ id: 'noEditorial', scopes: scopes.filter((scope) => scope !== 'editorial:read') }),
  neither: buildKey({ id: 'neither', scopes: ['artists:read', 'spikes:read', 'signings:read'] }),
  artistsOnly: buildKey({ id: 'artistsOnly', scopes: ['artists:read', 'signing-notes:read', 'editorial:read'] }),
  variant: buildKey({ id: 'variant', form: 'variant', allowEnvelopeOverride: true }),
};

export const openSmallGateway = (
  source = createTestSource(smallShortlist),
  clock = createManualClock(),
  histories: HistorySource = source,
): Promise<TestGateway> => createTestGateway({ source, clock, histories, keys: keySourceOf(Object.values(viewers)) });

/** The `ETag` of an answer in the current form. */
export const etagOf = async (gateway: TestGateway, path: string, { text } = viewers.all): Promise<string> => {
  const reply = await gateway.send(`/api/v1${path}`, text);
  expect(reply.status, path).to.equal(200);
  expect(reply.headers.etag, path).to.match(/^W\/"[\w-]{20,}"$/);
  return reply.headers.etag ?? '';
};
