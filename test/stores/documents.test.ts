import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { formNames } from '../../adapters/forms/forms.ts';
import {
  isMetricOfIts,
  parseArtist,
  parseLabel,
  parseSeries,
  toHistory,
} from '../../adapters/stores/documents/catalogue-documents.ts';
import { createInterner } from '../../adapters/stores/documents/intern.ts';
import {
  createKeyParser,
  keyMembers,
  organizationMembers,
  parseOrganization,
} from '../../adapters/stores/documents/key-documents.ts';
import { formatIssue, type Parsed } from '../../adapters/stores/documents/parse-result.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { buildSeries } from '../support/builders.ts';
import {
  artistDocument,
  keyDocument,
  missing,
  notDays,
  notInstants,
  notTexts,
  notUrls,
  organizationDocument,
  pathsIn,
  seriesDocument,
  urls,
  withMember,
} from '../support/stores/stored-documents.ts';

const parseKey = createKeyParser(formNames);

const modelOf = <Model>(parsed: Parsed<Model>): Model => {
  if ('issue' in parsed) throw new Error(`not accepted: ${formatIssue(parsed.issue)}`);
  return parsed.model;
};
/** The paths of the fields that were left out, or of the one for which a document was rejected. */
const reportedIn = (parsed: Parsed<unknown>) =>
  'issue' in parsed
    ? [`rejected: ${parsed.issue.message === '' ? 'without a reason' : parsed.issue.path}`]
    : (parsed.leftOut ?? []).map(({ path }) => path);

const notNumbers = [Number.NaN, Number.POSITIVE_INFINITY, '5', true, [], 5n];
const notLimits = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '60'];
const needed = (...values: readonly unknown[]) => [missing, null, Symbol('bad'), ...values];
const pointsOf = (...days: readonly string[]) => days.map((date) => ({ date, value: 1 }));
const instants = ['deprecated_at', 'expires_at', 'revoked_at'];

type Values = Readonly<Record<string, readonly unknown[]>>;

interface Kind {
  readonly parse: (document: unknown) => Parsed<unknown>;
  readonly document: object;
  /** Values of a field for which a document is rejected. */
  readonly rejected: Values;
  /** Values of a field without which a document is read. */
  readonly leftOut?: Values;
  /** Optional fields. */
  readonly optional?: readonly string[];
}

const artistFields: Values = {
  _id: needed(...notTexts, { toHexString: 'no function' }, Object.create(null)),
  id: needed(),
  name: needed(...notTexts, 'x'.repeat(1001)),
  status: needed(true, [], 'active', new Date()),
  signing: needed(),
  links: needed('https://a.example/', []),
  metrics: needed(5, []),
  songs: needed({}, 'sng_1'),
  'songs.0.id': needed(),
  'songs.0.name': needed(),
  'songs.0.metrics': needed(),
  freshness: needed(),
  provenance: needed(),
  data_quality: needed(),
  updated_at: needed(...notInstants),
};

/** A field of each type: `catalogue schema` lists the types of all. */
const kinds: Readonly<Record<string, Kind>> = {
  artists: {
    parse: parseArtist,
    document: artistDocument,
    rejected: { ...artistFields, 'songs.1': ['sng_1', null, []] },
    leftOut: {
      'signing.note': notTexts,
      photo_url: notUrls,
      'songs.0.metrics.streams': notNumbers,
      genres: ['pop', {}],
      'genres.1': [...notTexts, null],
      country_code: [...notTexts, 'P', 'PRT', 'Indonesia', 'P1', 'ÄÖ'],
      date_added: notDays,
      tier: ['Watch', 'x', '', 7],
      'status.active': ['true', 1, {}],
      'signing.status': ['Signed', '', true],
      'metrics.social_score': [...notNumbers, 2 ** 53 + 2, -(2 ** 53) - 2],
      'songs.0.added_at': [7, true, ''],
      'freshness.metrics': [7, true, '', new Date('never')],
      'provenance.sources': ['charts'],
      'data_quality.complete': ['yes', 1],
      'data_quality.estimated_points': [1.5, '2', Number.NaN],
      editorial: ['A report.', [], 7],
    },
    optional: pathsIn(artistDocument).filter(
      (path) =>
        !Object.hasOwn(artistFields, path.replace('songs.1', 'songs.0')) &&
        // no item of a list, and no field that the model lacks
        !/\.\d+$|^signing\.reviewed_at$/.test(path),
    ),
  },
  history: {
    parse: parseSeries,
    document: seriesDocument,
    rejected: {
      artist_id: needed(...notTexts),
      song_id: [...notTexts, 'sng_1'],
      metric: needed('plays', '', 'streams'),
      points: needed(
        ...[{}, 'none', pointsOf('2026-08-20', '2026-08-20')],
        pointsOf('2026-08-21', '2026-08-20'),
      ),
    },
    leftOut: {
      'points.0.date': needed(...notDays),
      'points.1.value': needed(...notNumbers),
      'points.1.stale': ['yes', 1],
    },
  },
  labels: {
    parse: parseLabel,
    document: { name: 'Warner', aliases: ['WMG'] },
    rejected: { name: needed(''), aliases: needed('WMG'), 'aliases.0': [7] },
  },
  organizations: {
    parse: parseOrganization,
    document: organizationDocument,
    rejected: {
      _id: needed('', 7),
      name: needed('', 7),
      quota: [60, []],
      'quota.per_minute': notLimits,
      'quota.per_day': notLimits,
      suspended_at: notInstants,
    },
    optional: ['quota', 'quota.per_minute', 'quota.per_day', 'suspended_at'],
  },
  api_keys: {
    parse: parseKey,
    document: keyDocument,
    rejected: {
      _id: needed('', 'a_b', 'a b', 'é', 'a'.repeat(65), 7),
      hash: needed('', 'A'.repeat(64), 'a'.repeat(63), 'g'.repeat(64), 7),
      organization_id: needed('', 7),
      partner: needed('', 7, 'x'.repeat(201)),
      form: needed('', 'Current', 'legacy'),
      scopes: needed('artists:read', {}),
      'scopes.0': [7, null],
      quota: [60, 'none', []],
      'quota.per_hour': notLimits,
      allow_envelope_override: ['true', 1],
      replaced_by: ['', 'a b', 7],
      trial: ['current', 60, []],
      'trial.form': needed('', 'Current'),
      'trial.until': needed(...notInstants),
      sunset: ['2026-02-30', '2027-01-31T00:00:00Z', new Date()],
      created_at: needed(...notInstants),
      ...Object.fromEntries(instants.map((name) => [name, notInstants])),
    },
    optional: [
      ...['quota', 'quota.per_hour', 'allow_envelope_override', 'sunset', 'trial', ...instants],
    ],
  },
};

for (const [name, { parse, document, rejected, leftOut = {}, optional = [] }] of Object.entries(
  kinds,
))
  describe(`a document of ${name}`, () => {
    for (const [path, values] of Object.entries(rejected))
      it(`is rejected for a bad ${path}, which is named`, () => {
        for (const value of values) {
          const parsed = parse(withMember(document, path, value));
          const isOfSong = path === 'song_id' && value === 'sng_1';
          expect(reportedIn(parsed)).to.deep.equal([`rejected: ${isOfSong ? 'metric' : path}`]);
        }
      });

    for (const [path, values] of Object.entries(leftOut))
      it(`is read without a bad ${path}, which is named`, () => {
        // a list is left out as a whole, a point too
        const part = path.replace(name === 'history' ? /\.\w+$/ : /\.\d+$/, '');
        const { model } = Object(parse(withMember(document, part, missing)));
        for (const value of values) {
          const parsed = parse(withMember(document, path, value));
          expect(reportedIn(parsed), typeof value).to.deep.equal([path]);
          expect(modelOf(parsed)).to.deep.equal(model);
        }
      });

    it('reads null as absent in every optional field', () => {
      for (const path of optional) {
        const absent = parse(withMember(document, path, missing));
        expect(parse(withMember(document, path, null)), path).to.deep.equal(absent);
        expect(absent, path).to.have.all.keys('model').and.not.deep.equal(parse(document));
      }
    });
  });

const artistWith = (path: string, value: unknown) =>
  modelOf(parseArtist(withMember(artistDocument, path, value)));
const shownOf = (stored: string) => artistWith('freshness.metrics', stored).freshness.metrics;
const photoUrlOf = (address: string) => artistWith('photo_url', address).photoUrl;

describe('parseArtist', () => {
  it('is tested with every field of the format', () => {
    expect(artistDocument).to.have.all.keys(documentSchema('artists').properties ?? {});
  });

  it('reads ObjectIds and BSON dates', () => {
    const text = '2026-08-22T06:30:00.000Z';
    const dates = ['updated_at', 'songs.0.added_at', 'freshness.metrics', 'editorial.updated_at'];
    const _id = { toHexString: () => artistDocument._id };
    const [asTexts, asDates] = [text, new Date(text)].map((value) =>
      dates.reduce<unknown>((one, path) => withMember(one, path, value), artistDocument),
    );
    expect(parseArtist(withMember(asDates, '_id', _id))).to.deep.equal(parseArtist(asTexts));
  });

  it('drops every field that the format does not list, at any depth', () => {
    const model = modelOf(parseArtist(artistDocument));
    const objects = pathsIn(artistDocument).filter((path) =>
      /^(songs\.0(\.(metrics|rights))?|status|signing|links|metrics|freshness|provenance|data_quality|editorial)$/.test(
        path,
      ),
    );
    expect(objects).to.have.lengthOf(11);
    const names = ['crm', '__proto__', 'constructor', 'toString', 'ACTIVE', 'songs_x'];
    for (const path of ['', ...objects.map((one) => `${one}.`)])
      for (const name of names)
        expect(artistWith(`${path}${name}`, { secret: true }), path).to.deep.equal(model);
  });

  it('leaves out several bad fields, and is rejected for a required one with them', () => {
    const links = { spotify: 'x', tiktok: 'y' };
    const broken = { ...artistDocument, tier: 7, country_code: 'Indonesia', links };
    const parsed = parseArtist(broken);
    expect(reportedIn(parsed)).to.have.members([
      ...['tier', 'country_code', 'links.spotify', 'links.tiktok'],
    ]);
    expect(modelOf(parsed)).to.deep.include({ tier: undefined, countryCode: undefined, links: {} });
    for (const path of Object.keys(artistFields))
      for (const value of needed())
        expect(reportedIn(parseArtist(withMember(broken, path, value)))).to.deep.equal([
          `rejected: ${path}`,
        ]);
  });

  it('rejects a value that is no document', () => {
    for (const document of [undefined, null, 'artist', 7, [], [artistDocument]])
      expect(reportedIn(parseArtist(document))).to.deep.equal(['rejected: document']);
  });

  it('never throws, and names the bad field, for any value of any field', () => {
    const anything = fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true });
    fc.assert(
      fc.property(fc.constantFrom(...pathsIn(artistDocument)), anything, (path, value) => {
        for (const reported of reportedIn(parseArtist(withMember(artistDocument, path, value))))
          expect(`${reported.replace('rejected: ', '')}.`).to.satisfy((found: string) =>
            found.startsWith(`${path}.`),
          );
      }),
      { numRuns: 2000 },
    );
  });

  for (const [stored, shown] of [
    ['2026-05-08T09:00+03:00', '2026-05-08T06:00:00.000Z'],
    ['2026-05-08T09:00Z', '2026-05-08T09:00:00.000Z'],
    ['2026-05-08T09:00:00-0330', '2026-05-08T12:30:00.000Z'],
    ['2026-05-08T09:00:00.25+03', '2026-05-08T06:00:00.250Z'],
    ...['2026-02-30T09:00Z', '2026-08-22T06:3:00.1234Z', '2026-05-08'].map(
      (text) => [text, text] as const,
    ),
  ] as const)
    it(`shows ${stored} as ${shown}`, () => expect(shownOf(stored)).to.equal(shown));

  /** The one address of `urls` that is not ASCII. */
  const inAscii = 'https://xn--bcher-kva.example/%C3%A9t%C3%A9';

  it('accepts every web address, even a non-ASCII address after 5,000 others', () => {
    for (const address of [...urls, ...Array<string>(5_000).fill(urls[0] ?? ''), ...urls])
      expect(photoUrlOf(address)).to.equal(/^[!-~]+$/.test(address) ? address : inAscii);
  });

  it('shows every address as a URI of the same page', () => {
    const ajv = new Ajv2020();
    formats.default(ajv);
    const isUri = (text: string): boolean => ajv.validate({ type: 'string', format: 'uri' }, text);
    const decoded = (address: string): string =>
      new URL(address).href.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    const odd = fc.string({ unit: fc.constantFrom(...'a/?#[]|^`{}<>"\\% é\u{1f600}\ud800') });
    fc.assert(
      fc.property(fc.webUrl(), odd, (page, end) => {
        const address = `${page}/${end}`;
        const shown = photoUrlOf(address) ?? '';
        expect(shown).to.satisfy(isUri);
        expect(decoded(shown)).to.equal(decoded(address));
      }),
    );
    for (const address of ['https://[2001:db8::1]/a[1]', 'https://a.example?x=%&y=|#a#b'])
      expect(photoUrlOf(address)).to.satisfy(isUri);
  });

  // In quadratic time it would not end before the timeout of a test.
  it('reads the longest texts in linear time, whatever they repeat', () => {
    for (const piece of ['#', 'T+02', '%', '|', '/', '-02:'])
      for (const path of ['photo_url', 'freshness.metrics', 'updated_at'])
        parseArtist(withMember(artistDocument, path, `https://a.example/${piece.repeat(24_000)}`));
  });
});

describe('the interner of artists', () => {
  /** An artist with new objects for everything that artists share, as a driver makes them. */
  const readArtist = (...genres: string[]) =>
    modelOf(parseArtist({ ...structuredClone(artistDocument), genres }));

  it('shares equal parts of artists', () => {
    const intern = createInterner();
    const [first, second] = [intern(readArtist('drill', 'shoegaze')), intern(readArtist('drill'))];
    expect(second).to.deep.equal(readArtist('drill'));
    expect(second.freshness).to.equal(first.freshness);
    expect(second.songs[1]?.rights).to.equal(first.songs[1]?.rights);
  });

  it('returns equal artists beyond its capacity', () => {
    const artists = Array.from({ length: 2_500 }, (_, index) => readArtist(`${index % 1_250}`));
    expect(artists.map(createInterner())).to.deep.equal(artists);
  });
});

describe('parseSeries', () => {
  it('reads every field; the flags of a point are false by default', () => {
    const none = { estimated: false, stale: false, terminal: false };
    expect(modelOf(parseSeries({ ...seriesDocument, song_id: null }))).to.deep.equal({
      artistId: 'art_1',
      songId: undefined,
      metric: 'monthly_listeners',
      points: [
        { date: '2026-08-20', value: 5, ...none },
        { date: '2026-08-21', value: 6.5, ...none, estimated: true, terminal: true },
      ],
    });
  });

  it('accepts a metric of songs with `song_id` only', () => {
    const ofSong = { ...seriesDocument, song_id: 'sng_1', metric: 'streams' };
    expect(modelOf(parseSeries(ofSong))).to.include({ songId: 'sng_1', metric: 'streams' });
    expect(isMetricOfIts(null, 'monthly_listeners'), 'in an import').to.equal(true);
  });

  it('makes the same history from series in any order', () => {
    const series = ['', 'a', 'b'].flatMap((song) =>
      (song === '' ? (['monthly_listeners', 'social_score'] as const) : (['streams'] as const)).map(
        (metric) => buildSeries({ songId: song || undefined, metric }),
      ),
    );
    const shuffled = fc.shuffledSubarray(series, { minLength: series.length });
    const isInOrder = (some: typeof series) =>
      expect(toHistory(some, true).series).to.deep.equal(series);
    fc.assert(fc.property(shuffled, (some) => void isInOrder(some)));
  });
});

describe('parseKey and parseOrganization', () => {
  it('leave out unknown scopes, and name them without their text', () => {
    const scopes = ['artists:read', 'artists:write', '', 'spikes:read', '*'];
    const parsed = parseKey({ ...keyDocument, scopes });
    expect(modelOf(parsed).scopes).to.deep.equal(['artists:read', 'spikes:read']);
    expect(reportedIn(parsed)).to.deep.equal(['scopes.1', 'scopes.2', 'scopes.4']);
    expect(JSON.stringify(parsed)).not.to.include('artists:write');
  });

  it('accept a key without scopes and without `allow_envelope_override`, and a quota of 0', () => {
    const { allow_envelope_override: _, ...silent } = keyDocument;
    const document = { ...silent, scopes: [], quota: { per_hour: 0 } };
    const expected = { scopes: [], perHour: 0, allowEnvelopeOverride: false };
    expect(modelOf(parseKey(document))).to.deep.include(expected);
  });

  it('read every field of the format, and are the inverse of what is stored', () => {
    const asStored = ({ _id, ...members }: object & { _id?: unknown }) =>
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name,
          name.endsWith('_at') ? new Date(String(value)) : value,
        ]),
      );
    const { hash: _, ...members } = keyDocument;
    expect(keyMembers(modelOf(parseKey(keyDocument)))).to.deep.equal(asStored(members));
    const stored = organizationMembers(modelOf(parseOrganization(organizationDocument)));
    expect(stored).to.deep.equal(asStored(organizationDocument));
    const plain = { ...keyDocument, quota: {}, allow_envelope_override: false };
    const unset = ['quota', 'allow_envelope_override'];
    expect(keyMembers(modelOf(parseKey(plain)))).to.not.have.any.keys(unset);
  });
});
