import fc from 'fast-check';

/** The day so many days before another; negative for later days. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

/**
 * Parts of names at which case folding, normalisation and ordering differ between careless and
 * careful code.
 */
export const nameParts = 'Straße STRASSE STRAẞE ΐ Ὀδυσσεύς ΟΔΥΣΣΕΥΣ E\u0301 é İ Nova nova'.split(
  ' ',
);
export const oddNameParts = ['.*', '100%', ' ', '😀', '\uFFFD', 'K', 'ﬁ', '&', '"', '</script>'];

/**
 * Identifiers that differ in case, in their code points' order, and in what they need in a URL; one
 * has every printable character.
 */
const ids = 'a|A|b|Z|𝒳|\uFFFD|ü|x y|x/y|x?y|x%y|x%41|x+y|.|0|00|~'.split('|');
const printable = String.fromCharCode(
  ...Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index),
);
export const artistIds: readonly string[] = [...ids, printable].flatMap((id) => [
  `art_${id}`,
  `art_${id}_2`,
]);

const trackedLabels = [
  { name: 'Sub Pop', aliases: ['Sub/Pop Records'] },
  { name: 'UMG', aliases: ['Universal Music Group'] },
  { name: '4AD', aliases: [] },
  { name: 'Straße Records', aliases: ['Gasse'] },
  { name: 'Pop', aliases: ['Pop Records'] },
  { name: 'Sony', aliases: ['Sony Music Entertainment'] },
];
const pLineWords = '℗ 2026 Sub Pop SUB/POP U.M.G. umg 4-AD 4AD Sony Music STRAẞE'.split(' ');
const morePLineWords = 'Records Entertainment (Indie) Popular Universal Group gasse, Own'.split(
  ' ',
);

const metricNames = [
  'spotify_streams',
  'monthly_listeners',
  'tiktok_followers',
  'instagram_followers',
  'social_score',
] as const;
const songMetricNames = ['streams', 'ugc_tiktok', 'ugc_instagram'] as const;

/**
 * Values around the floor and the threshold of a spike, with decimals, with every digit a number
 * can hold, signs and exponents.
 */
const oddValues = [
  ...[
    0, -0, -1, -1e-7, 5e-324, 1.5e-9, 999.99, 1000, 1199.99, 1200, 1199.995, 5597.13, 4628.98,
    42666.6624,
  ],
  ...[61333.32720000001, 9_007_199_254_740_991, 7_505_999_378_950_825, 2 ** 53, -(2 ** 53)],
];
const value = fc.oneof(
  fc.constantFrom(...oddValues),
  fc.integer({ min: 900, max: 2_000 }),
  fc.integer({ min: 0, max: 1_000_000_000 }),
  fc.integer({ min: 90_000, max: 200_000 }).map((cents) => cents / 100),
  fc.double({ min: 900, max: 2_000_000, noNaN: true }),
);

/** For records of which any member may be missing. */
const optional: { requiredKeys: never[] } = { requiredKeys: [] };

const flag = fc.nat(7).map((drawn) => drawn === 0);

const points = (today: string) =>
  fc
    .uniqueArray(
      fc.record(
        {
          ago: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 36 })),
          value,
          estimated: flag,
          stale: flag,
          terminal: flag,
        },
        { requiredKeys: ['ago', 'value'] },
      ),
      { selector: ({ ago }) => ago, minLength: 1, maxLength: 14 },
    )
    .map((list) =>
      list
        .sort((left, right) => right.ago - left.ago)
        .map(({ ago, ...point }) => ({ date: daysBefore(today, ago), ...point })),
    );

const instant = (today: string) =>
  fc
    .integer({ min: 0, max: 40 })
    .map((days) => `${daysBefore(today, days)}T0${days % 10}:30:00.000Z`);

const url = fc.constantFrom('https://media.example/a.jpg', 'https://b.example/?q=%C3%A4');

const numbers = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length, noNullPrototype: true });

const words = fc
  .array(fc.constantFrom(...pLineWords, ...morePLineWords), { minLength: 1, maxLength: 6 })
  .map((list) => list.join(' '));

const songs = (today: string) =>
  fc.uniqueArray(
    fc.record(
      {
        id: fc.constantFrom('sng_1', 'sng_2', 'sng_10', 'sng_𝒳', 'sng_\uFFFD'),
        name: fc.constantFrom(...nameParts),
        artwork: url,
        tiktok_url: url,
        added_at: instant(today),
        metrics: numbers(songMetricNames),
        rights: fc.record({ p_line: words, checked_at: instant(today) }, optional),
      },
      { requiredKeys: ['id', 'name', 'metrics'] },
    ),
    { selector: ({ id }) => id, maxLength: 3 },
  );

const dateAdded = (today: string) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.integer({ min: -2, max: 9 }).map((days) => daysBefore(today, days)),
    },
    {
      weight: 2,
      arbitrary: fc.integer({ min: 10, max: 95 }).map((days) => daysBefore(today, days)),
    },
    fc.constantFrom('0001-01-01', '1970-01-01', '9999-12-31'),
  );

/** An artist without identifiers. */
const artistParts = (today: string) =>
  fc
    .tuple(
      fc.record({
        name: fc
          .array(fc.constantFrom(...nameParts, ...oddNameParts), { minLength: 1, maxLength: 3 })
          .map((parts) => parts.join('')),
        status: fc.record({ active: fc.boolean(), claimed: fc.boolean() }, optional),
        signing: fc.record(
          {
            status: fc.constantFrom('signed', 'unsigned', 'unknown'),
            note: fc.constant('A note.'),
            reviewed_at: instant(today),
          },
          optional,
        ),
        links: fc.record({ tiktok: url, spotify: url }, optional),
        metrics: numbers(metricNames),
        songs: songs(today),
        freshness: fc.record({ metrics: instant(today), history: fc.constant('daily') }, optional),
        provenance: fc.record(
          { sources: fc.constant(['charts']), method: fc.constant('curated') },
          optional,
        ),
        data_quality: fc.record(
          { complete: fc.boolean(), warnings: fc.constant(['gap']) },
          optional,
        ),
        internal_notes: fc.constant('never sent'),
      }),
      fc.record(
        {
          photo_url: url,
          genres: fc.array(fc.constantFrom('pop', 'électro'), { maxLength: 2 }),
          country_code: fc.constantFrom('PT', 'DE'),
          date_added: dateAdded(today),
          tier: fc.constantFrom('watch', 'on-the-rise', 'breaking', 'established'),
          editorial: fc.record(
            { scouting_report: fc.constant('A report.'), highlights: fc.constant(['a tour']) },
            optional,
          ),
        },
        optional,
      ),
    )
    .map(([always, sometimes]) => ({ ...always, ...sometimes }));

/**
 * An artist and its series; `change` is the instant of change in milliseconds, later for every
 * later draw.
 */
export const units = (today: string, id: fc.Arbitrary<string>) =>
  fc
    .tuple(
      id,
      artistParts(today),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...metricNames), points(today)), {
        selector: ([name]) => name,
        maxLength: 4,
      }),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...songMetricNames), points(today)), {
        selector: ([name]) => name,
        maxLength: 2,
      }),
    )
    .map(([artistId, parts, own, ofSongs]) => (change: number) => ({
      artist: {
        _id: `doc-${artistId}`,
        id: artistId,
        ...parts,
        updated_at: new Date(change).toISOString(),
      },
      series: [
        ...own.map(([metric, list]) => ({ artist_id: artistId, metric, points: list })),
        ...ofSongs.map(([metric, list]) => ({
          artist_id: artistId,
          song_id: 'sng_1',
          metric,
          points: list,
        })),
      ],
    }));

export const labels = fc
  .shuffledSubarray([...trackedLabels], { minLength: 1 })
  .map((list) => [...list]);

type Drawn<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** An artist with its series, as one unit of change. */
export type StoredUnit = ReturnType<Drawn<ReturnType<typeof units>>>;

/**
 * Stored documents as the data format describes them and as they are drawn, before any code of the
 * gateway has read them.
 */
export interface Shortlist {
  readonly artists: readonly StoredUnit['artist'][];
  readonly history: readonly (Omit<StoredUnit['series'][number], 'song_id'> & {
    readonly song_id?: string;
  })[];
  readonly labels: typeof trackedLabels;
}
