/** A stored artist with every member of the format. */
export const artistDocument = {
  _id: '66a18b869b2e81c0c529552a',
  id: 'art_1',
  name: 'Somebody',
  photo_url: 'https://media.example/photo.jpg',
  genres: ['pop', 'folk'],
  country_code: 'PT',
  date_added: '2026-08-01',
  tier: 'watch',
  status: { active: true, verified: false, shortlisted: true, claimed: false },
  signing: { status: 'signed', note: 'A note.', reviewed_at: '2026-08-11T14:20:00.000Z' },
  links: {
    spotify: 'https://a.example/',
    tiktok: 'http://b.example/@x',
    website: 'https://c.example/?q=1#top',
  },
  metrics: { spotify_streams: 41_202_334_871, social_score: 73.5, tiktok_followers: 0 },
  songs: [
    {
      id: 'sng_1',
      name: 'First',
      artwork: 'https://media.example/1.jpg',
      preview_url: 'https://media.example/1.mp3',
      source_url: 'https://a.example/1',
      tiktok_url: 'https://b.example/1',
      added_at: '2026-05-08T07:00:00.000Z',
      metrics: { streams: 5, ugc_tiktok: 6, ugc_instagram: 7 },
      rights: { p_line: '℗ 2026 Own', checked_at: '2026-08-10' },
    },
    { id: 'sng_2', name: 'Second', added_at: '2026-06-01', metrics: {} },
  ],
  freshness: {
    metrics: '2026-08-22T02:00:00+02:00',
    songs: '2026-08-21',
    history: 'daily',
    signing: '2026-08-11',
  },
  provenance: { sources: ['charts'], method: 'curated' },
  data_quality: {
    complete: false,
    missing_metrics: ['monthly_listeners'],
    estimated_points: 2,
    warnings: ['gap'],
  },
  editorial: {
    scouting_report: 'A report.',
    highlights: ['a tour'],
    updated_at: '2026-08-20T10:00:00.000Z',
  },
  updated_at: '2026-08-22T06:30:00.000Z',
};

export const seriesDocument = {
  artist_id: 'art_1',
  metric: 'monthly_listeners',
  points: [
    { date: '2026-08-20', value: 5 },
    { date: '2026-08-21', value: 6.5, estimated: true, stale: false, terminal: true },
  ],
  updated_at: '2026-08-22T06:30:00.000Z',
};

export const organizationDocument = {
  _id: 'org_1',
  name: 'An Organization',
  quota: { per_minute: 60, per_day: 5000 },
  suspended_at: '2026-08-22T06:30:00.000Z',
};

export const keyDocument = {
  _id: 'aB3dE6gH9',
  hash: '0123456789abcdef'.repeat(4),
  organization_id: 'org_1',
  partner: 'A Partner',
  form: 'variant',
  scopes: ['artists:read', 'editorial:read'],
  quota: { per_hour: 500 },
  allow_envelope_override: true,
  sunset: '2027-01-31',
  deprecated_at: '2026-08-01T00:00:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2027-02-01T00:00:00.000Z',
  revoked_at: '2026-09-01T00:00:00.000Z',
  replaced_by: 'bC4eF7hI0',
  trial: { form: 'current', until: new Date('2026-08-22T12:30:00Z') },
};

/** Values that are not texts, days or times. */
export const notTexts = [7, true, [], {}, '', { length: { toString: 1, valueOf: 2 } }];
export const notDays = [
  '2026-02-30',
  '2026-8-1',
  '2026-08-01T00:00:00Z',
  '',
  new Date(),
  20_260_801,
];
export const notInstants = [
  '2026-08-01',
  '2026-08-01T00:00:00',
  'now',
  1_790_000_000_000,
  new Date('never'),
  '',
];

/** Valid addresses. */
export const urls = [
  'https://a.example',
  'http://a.example:8080/x?y=1#z',
  'HTTPS://A.EXAMPLE/',
  'https://[2001:db8::1]/',
  'https://user@a.example/',
  'https://b\u00fccher.example/\u00e9t\u00e9',
];

export const notUrls = [
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://a.example/',
  '//a.example',
  'a.example',
  'http://',
  'http:a.example',
  'https:/a.example',
  'https://999.999.999.999/',
  'java\nscript:https://a.example/',
  'https//a.example',
  ...notTexts,
];

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const changed = (target: unknown, [first, ...rest]: readonly string[], value: unknown): unknown => {
  if (first === undefined) return value;
  if (Array.isArray(target)) {
    const items = target.map((item: unknown, index) =>
      String(index) === first ? changed(item, rest, value) : item,
    );
    return items.filter((item) => item !== missing);
  }
  const others = membersOf(target).filter(([name]) => name !== first);
  const [, member] = membersOf(target).find(([name]) => name === first) ?? [];
  const next = changed(member, rest, value);
  return Object.fromEntries(next === missing ? others : [...others, [first, next]]);
};

/** Removes the member when given to `withMember`. */
export const missing = Symbol('missing');

/**
 * A copy of a document in which the member at a path (`songs.0.metrics`) has another value or is
 * missing.
 */
export const withMember = (document: unknown, path: string, value: unknown): unknown =>
  changed(document, path.split('.'), value);

/** The paths of all members of a document, at any depth. */
export const pathsIn = (value: unknown): string[] =>
  membersOf(value).flatMap(([name, member]) => [
    name,
    ...pathsIn(member).map((path) => `${name}.${path}`),
  ]);
