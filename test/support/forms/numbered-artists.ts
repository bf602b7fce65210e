import { addDays } from '../../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../../src/domain/model.ts';
import { buildArtist, buildPoint, buildSeries } from '../builders.ts';

export const today = '2026-08-22';

/**
 * 250 artists, more than any limit: `art_000` added today, `art_001` a day earlier and so on; the
 * first 200 have the four tiers in turn, and all have one of three reviewed statuses in turn.
 */
export const numberedArtists = Array.from({ length: 250 }, (_, index) => {
  const number = String(index).padStart(3, '0');
  return buildArtist({
    id: `art_${number}`,
    documentId: `doc_${number}`,
    name: `Artist ${number}`,
    dateAdded: addDays(today, -index),
    tier: index < 200 ? tiers[index % tiers.length] : undefined,
    signing: { status: signingStatuses[index % signingStatuses.length], note: undefined },
  });
});

/** Doubles every day, so that every window of comparison finds a spike. */
export const doubling = buildSeries({
  artistId: 'art_000',
  metric: 'monthly_listeners',
  points: Array.from({ length: 34 }, (_, index) =>
    buildPoint(addDays(today, index - 33), 1000 * 2 ** index),
  ),
});

/**
 * So long that 60 of them exceed the socket buffers between a gateway and its client, deflated too.
 */
export const longSeries = buildSeries({
  metric: 'monthly_listeners',
  points: Array.from({ length: 6_000 }, (_, index) =>
    buildPoint(addDays('2010-01-01', index), (index * 2_654_435_761) % 1e9),
  ),
});
