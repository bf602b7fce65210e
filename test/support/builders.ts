import type { CatalogueParts } from '../../src/catalogue/catalogue.ts';
import { recentPointsOf } from '../../src/catalogue/movements.ts';
import { createRedaction } from '../../src/catalogue/redaction.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { scopes } from '../../src/domain/caller.ts';
import type { Artist, HistoryPoint, Label, Series, Song } from '../../src/domain/model.ts';
import { keyHash, keyText } from '../../src/keys/key-format.ts';
import type { CatalogueContents, KeySource, ListedArtist } from '../../src/ports.ts';

/** An artist with identifiers, a name and an instant of change only. */
export const buildArtist = (given: Partial<Artist> = {}): Artist => ({
  documentId: `doc-${given.id ?? 'art_1'}`,
  id: 'art_1',
  name: 'Nobody',
  photoUrl: undefined,
  genres: undefined,
  countryCode: undefined,
  dateAdded: undefined,
  tier: undefined,
  status: {},
  signing: { status: undefined, note: undefined },
  links: {},
  metrics: {},
  songs: [],
  freshness: {},
  provenance: { sources: undefined, method: undefined },
  dataQuality: {
    complete: undefined,
    missingMetrics: undefined,
    estimatedPoints: undefined,
    warnings: undefined,
  },
  editorial: undefined,
  updatedAt: Date.parse('2026-08-22T00:00:00Z'),
  ...given,
});

export const buildSong = (given: Partial<Song> = {}): Song => ({
  id: 'sng_1',
  name: 'Untitled',
  artwork: undefined,
  previewUrl: undefined,
  sourceUrl: undefined,
  tiktokUrl: undefined,
  addedAt: undefined,
  metrics: {},
  rights: undefined,
  ...given,
});

export const buildPoint = (
  date: string,
  value: number,
  flags: Partial<HistoryPoint> = {},
): HistoryPoint => ({
  date,
  value,
  estimated: false,
  stale: false,
  terminal: false,
  ...flags,
});

export const buildSeries = (given: Partial<Series> = {}): Series => ({
  artistId: 'art_1',
  songId: undefined,
  metric: 'spotify_streams',
  points: [],
  ...given,
});

/** An artist with its own recent series. */
export const buildListedArtist = (
  artist: Partial<Artist> = {},
  recent: readonly Series[] = [],
): ListedArtist => ({
  artist: buildArtist(artist),
  recent: recent.map((series) => recentPointsOf(series)),
});

export const buildLabel = (name: string, ...aliases: string[]): Label => ({ name, aliases });

/** Contents of a source: these artists, in this order, without recent points. */
export const buildContents = (
  artists: readonly Partial<Artist>[] = [],
  given: Partial<CatalogueContents> = {},
): CatalogueContents => ({
  artists: artists.map((artist) => buildListedArtist(artist)),
  labels: [],
  faults: [],
  ...given,
});

/** The parts of a catalogue: histories that are empty, and the default settings. */
export const buildCatalogueParts = (): CatalogueParts => ({
  histories: { read: async () => ({ series: [], complete: true }) },
  redaction: createRedaction(),
  spikes: createSpikeFinder({ floor: 1000, thresholdPercent: 20 }),
});

/** An organization with quotas that no test reaches by accident. */
export const buildOrganization = (given: Partial<Organization> = {}): Organization => ({
  id: 'org_test',
  name: 'Test Organization',
  perMinute: 1_000_000,
  perDay: 1_000_000,
  suspendedAt: undefined,
  ...given,
});

export interface TestKey {
  readonly text: string;
  readonly record: KeyRecord;
}

/** A key with every scope, and its text. */
export const buildKey = (given: Partial<KeyRecord> = {}): TestKey => {
  const id = given.id ?? `key${given.form ?? 'current'}`;
  const text = keyText(id, 'S'.repeat(43));
  const record: KeyRecord = {
    hash: keyHash(text),
    organizationId: 'org_test',
    partner: 'Test Partner',
    form: 'current',
    scopes,
    perHour: 1_000_000,
    allowEnvelopeOverride: false,
    sunset: undefined,
    deprecatedAt: undefined,
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
    expiresAt: undefined,
    revokedAt: undefined,
    replacedBy: undefined,
    trial: undefined,
    ...given,
    id,
  };
  return { text, record };
};

/** A source of these keys and their organizations. */
export const keySourceOf = (
  keys: readonly TestKey[],
  ...organizations: readonly Partial<Organization>[]
): KeySource => ({
  load: async () => ({
    keys: keys.map(({ record }) => record),
    organizations: (organizations.length === 0 ? [{}] : organizations).map(buildOrganization),
  }),
});
