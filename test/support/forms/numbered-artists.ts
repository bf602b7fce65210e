import type { FormName } from '../../../src/domain/caller.ts';
import { addDays } from '../../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../../src/domain/model.ts';
import { buildArtist, buildPoint, buildSeries } from '../builders.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import type { RawReply } from '../raw.ts';
import { createTestSource } from '../source.ts';
import { formFacts, itemsIn } from './expected-errors.ts';
import { keySource, keys } from './form-keys.ts';

export const today = '2026-08-22';

/**
 * 250 artists, more than any limit: `art_000` added today, `art_001` a day earlier and so on; the first 200 have the four
 * tiers in turn, and all have one of three reviewed statuses in turn.
 */
export const numberedArtists = Array.from({ length: 250 }, (_, place) => {
  const number = String(place).padStart(3, '0');
  return buildArtist({
    id: `art_${number}`,
    documentId: `doc_${number}`,
    name: `Artist ${number}`,
    dateAdded: addDays(today, -place),
    tier: place < 200 ? tiers[place % tiers.length] : undefined,
    signing: { status: signingStatuses[place % signingStatuses.length], note: undefined },
  });
});

/** Doubles every day, so that every window of comparison finds a spike. */
const doubling = buildSeries({
  artistId: 'art_000',
  metric: 'monthly_listeners',
  points: Array.from({ length: 34 }, (_, place) => buildPoint(addDays(today, place - 33), 1000 * 2 ** place)),
});

export const openNumbered = (): Promise<TestGateway> =>
  createTestGateway({
    keys: keySource,
    source: createTestSource({ artists: numberedArtists, series: [doubling] }),
  });

/** A question with the form's own key, which has every scope. */
export const askAs = (form: FormName, gateway: TestGateway, path: string): Promise<RawReply> =>
  gateway.send(`/api/v1${path}`, keys[form].full.text);

/** How many items came, or the code of the error that came instead. */
export const sizeOrCode = (form: FormName, reply: RawReply): number | string =>
  reply.status === 200 ? itemsIn(reply.text).length : formFacts[form].readError(reply.text).code;
