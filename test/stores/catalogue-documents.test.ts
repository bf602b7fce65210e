import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import {
  artistDocument,
  itReadsNullAsAbsent,
  itRefuses,
  memberRefused,
  missing,
  modelOf,
  notDays,
  notInstants,
  notNumbers,
  notTexts,
  notUrls,
  pathsIn,
  urls,
  withMember,
} from '../support/stores/stored-documents.ts';

const required = [
  ...[
    '_id',
    'id',
    'name',
    'status',
    'signing',
    'links',
    'metrics',
    'songs',
    'freshness',
    'provenance',
    'data_quality',
  ],
  ...['updated_at', 'songs.0.id', 'songs.0.name', 'songs.0.metrics'],
];
/** Without elements of lists, which are neither required nor optional. */
const optional = pathsIn(artistDocument).filter(
  (path) => !required.includes(path.replace('songs.1', 'songs.0')) && !/\.\d+$/.test(path),
);

/**
 * A member of each type that there is: which type a member has, the schemas in docs/schemas say.
 */
const refused: readonly (readonly [string, readonly unknown[]])[] = [
  ['signing.note', notTexts],
  ['photo_url', notUrls],
  ['songs.0.metrics.streams', notNumbers],
  ['_id', [...notTexts, { toHexString: 'no function' }, Object.create(null)]],
  ['name', [...notTexts, 'x'.repeat(1001)]],
  ['genres', ['pop', {}]],
  ['genres.1', [...notTexts, null]],
  ['country_code', [...notTexts, 'P', 'PRT', 'Indonesia', 'P1', 'ÄÖ']],
  ['date_added', notDays],
  ['tier', ['Watch', 'x', '', 7]],
  ['status', [true, [], 'active', new Date()]],
  ['status.active', ['true', 1, {}]],
  ['signing.status', ['Signed', '', true]],
  ['links', ['https://a.example/', []]],
  ['metrics', [5, []]],
  ['metrics.social_score', [...notNumbers, 2 ** 53 + 2, -(2 ** 53) - 2]],
  ['songs', [{}, 'sng_1']],
  ['songs.1', ['sng_1', null, []]],
  ['songs.0.added_at', [7, true, '']],
  ['freshness.metrics', [7, true, '', new Date('never')]],
  ['provenance.sources', ['charts']],
  ['data_quality.complete', ['yes', 1]],
  ['data_quality.estimated_points', [1.5, '2', Number.NaN]],
  ['editorial', ['A report.', [], 7]],
  ['updated_at', notInstants],
];

/** The one address of `urls` that is not ASCII. */
const inAscii = 'https://xn--bcher-kva.example/%C3%A9t%C3%A9';

/** What an address says once its escapes are decoded, byte by byte. */
const decoded = ({ href }: URL): string =>
  href.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** The paths of the members that were left out. */
const leftOutOf = (parsed: ReturnType<typeof parseArtist>): readonly string[] =>
  'model' in parsed ? (parsed.leftOut ?? []).map(({ path }) => path) : [];

describe('parseArtist', () => {
  it('is tried with every member of the format', () => {
    const names = Object.keys(documentSchema('artists').properties ?? {});
    expect(Object.keys(artistDocument), 'test/support/stores/stored-documents.ts').to.have.members(
      names,
    );
  });

  it('reads every member, sorts songs newest first, and shows instants in UTC', () => {
    const artist = modelOf(parseArtist(artistDocument));
    expect(artist).to.deep.include({
      documentId: '66a18b869b2e81c0c529552a',
      id: 'art_1',
      photoUrl: 'https://media.example/photo.jpg',
      countryCode: 'PT',
      dateAdded: '2026-08-01',
      status: { active: true, verified: false, shortlisted: true, claimed: false },
      signing: { status: 'signed', note: 'A note.' },
      links: artistDocument.links,
      metrics: artistDocument.metrics,
      freshness: { ...artistDocument.freshness, metrics: '2026-08-22T00:00:00.000Z' },
      dataQuality: {
        complete: false,
        missingMetrics: ['monthly_listeners'],
        estimatedPoints: 2,
        warnings: ['gap'],
      },
      editorial: {
        scoutingReport: 'A report.',
        highlights: ['a tour'],
        updatedAt: '2026-08-20T10:00:00.000Z',
      },
      updatedAt: Date.parse('2026-08-22T06:30:00Z'),
    });
    expect(artist.songs.map(({ id }) => id)).to.deep.equal(['sng_2', 'sng_1']);
    expect(artist.songs[1]).to.deep.include({
      previewUrl: 'https://media.example/1.mp3',
      rights: { pLine: '℗ 2026 Own', checkedAt: '2026-08-10' },
    });
  });

  itReadsNullAsAbsent(
    parseArtist,
    artistDocument,
    optional.filter((path) => path !== 'signing.reviewed_at'), // no model has it
  );

  const isRequired = (path: string): boolean =>
    required.includes(path.replace(/^songs\.\d+/, 'songs.0')) || /^songs\.\d+$/.test(path);

  itRefuses(
    parseArtist,
    artistDocument,
    refused.filter(([path]) => isRequired(path)),
  );

  it('drops every member that the format does not list, at any depth', () => {
    const model = modelOf(parseArtist(artistDocument));
    const objects = ['', ...pathsIn(artistDocument)]
      .filter((path) =>
        /^(|status|signing|links|metrics|freshness|provenance|data_quality|editorial)$/.test(path),
      )
      .concat('songs.0', 'songs.0.metrics', 'songs.0.rights');
    for (const path of objects) {
      for (const name of [
        'internal_notes',
        'crm',
        '__proto__',
        'constructor',
        'toString',
        'ACTIVE',
        'songs_x',
      ]) {
        const document = withMember(artistDocument, path === '' ? name : `${path}.${name}`, {
          secret: true,
        });
        expect(modelOf(parseArtist(document)), `${path} ${name}`).to.deep.equal(model);
      }
    }
    expect(objects).to.have.lengthOf(12);
  });

  it('shows what is no instant as it is stored', () => {
    const document = withMember(artistDocument, 'freshness.metrics', '2026-08-22T06:3:00.1234Z');
    expect(modelOf(parseArtist(document)).freshness.metrics).to.equal('2026-08-22T06:3:00.1234Z');
  });

  it('shows every instant in UTC with milliseconds, for any number of digits and any offset', () => {
    const years = {
      min: new Date('1970-01-02T00:00:00Z'),
      max: new Date('2999-12-30T00:00:00Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(
        fc.date(years),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: -14, max: 14 }),
        (date, digits, hours) => {
          const local = new Date(date.getTime() + hours * 3_600_000).toISOString().slice(0, -1);
          const fraction = `${local.slice(20)}456`.slice(0, digits);
          const offset =
            hours === 0
              ? 'Z'
              : `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
          const stored = `${local.slice(0, 19)}${digits === 0 ? '' : `.${fraction}`}${offset}`;
          const shown = modelOf(
            parseArtist(withMember(artistDocument, 'freshness.metrics', stored)),
          ).freshness.metrics;
          expect(shown).to.equal(new Date(stored).toISOString());
        },
      ),
    );
  });

  for (const [stored, shown] of [
    ['2026-05-08T09:00+03:00', '2026-05-08T06:00:00.000Z'],
    ['2026-05-08T09:00Z', '2026-05-08T09:00:00.000Z'],
    ['2026-05-08T09:00:00-0330', '2026-05-08T12:30:00.000Z'],
    ['2026-05-08T09:00:00.25+03', '2026-05-08T06:00:00.250Z'],
    ['2026-02-30T09:00Z', '2026-02-30T09:00Z'],
    ['2026-05-08', '2026-05-08'],
  ] as const)
    it(`shows ${stored} as ${shown}`, () => {
      const document = withMember(artistDocument, 'freshness.metrics', stored);
      expect(modelOf(parseArtist(document)).freshness.metrics).to.equal(shown);
    });

  const photoUrlOf = (address: string) =>
    modelOf(parseArtist(withMember(artistDocument, 'photo_url', address))).photoUrl;

  it('accepts every address of the web', () => {
    for (const address of urls)
      expect(photoUrlOf(address)).to.equal(/^[!-~]+$/.test(address) ? address : inAscii);
  });

  it('shows every address as a URI of the same page', () => {
    const ajv = new Ajv2020();
    formats.default(ajv);
    const isUri = (text: string): boolean => ajv.validate({ type: 'string', format: 'uri' }, text);
    const odd = fc.string({ unit: fc.constantFrom(...'a/?#[]|^`{}<>"\\% é\u{1f600}\ud800') });
    fc.assert(
      fc.property(fc.webUrl(), odd, (address, end) => {
        const shown = photoUrlOf(`${address}/${end}`) ?? '';
        expect(shown).to.satisfy(isUri);
        const [left, right] = [shown, `${address}/${end}`].map((text) => decoded(new URL(text)));
        expect(left).to.equal(right);
      }),
    );
    for (const address of ['https://[2001:db8::1]/a[1]', 'https://a.example?x=%&y=|#a#b'])
      expect(photoUrlOf(address)).to.satisfy(isUri);
  });

  it('reads the longest texts in linear time, whatever they repeat', () => {
    const begin = performance.now();
    for (const piece of ['#', 'T+02', '%', '|', '/', '-02:'])
      for (const path of ['photo_url', 'freshness.metrics', 'updated_at']) {
        const value = `https://a.example/${piece.repeat(24_000)}`;
        parseArtist(withMember(artistDocument, path, value));
      }
    expect(performance.now() - begin, 'milliseconds').to.be.below(10_000);
  });

  it('accepts an address that is not ASCII after 5,000 others', () => {
    for (let count = 0; count < 5_000; count++) modelOf(parseArtist(artistDocument));
    expect(photoUrlOf('https://b\u00fccher.example/\u00e9t\u00e9')).to.equal(inAscii);
  });

  it('reads ObjectIds and BSON dates', () => {
    const objectId = { toHexString: () => '66a18b869b2e81c0c529552a' };
    const dates = ['updated_at', 'songs.0.added_at', 'freshness.metrics', 'editorial.updated_at'];
    const stored = dates.reduce<unknown>(
      (document, path) => withMember(document, path, new Date('2026-08-22T06:30:00Z')),
      withMember(artistDocument, '_id', objectId),
    );
    const artist = modelOf(parseArtist(stored));
    expect([artist.documentId, artist.updatedAt]).to.deep.equal([
      artistDocument._id,
      Date.parse('2026-08-22T06:30Z'),
    ]);
    expect([
      artist.songs[0]?.addedAt,
      artist.freshness.metrics,
      artist.editorial?.updatedAt,
    ]).to.deep.equal(Array.from({ length: 3 }, () => '2026-08-22T06:30:00.000Z'));
  });

  it('never throws, and names the member it refuses, for any value of any member', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pathsIn(artistDocument)),
        fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true }),
        (path, value) => {
          const parsed = parseArtist(withMember(artistDocument, path, value));
          for (const member of [memberRefused(parsed) ?? path, ...leftOutOf(parsed)]) {
            expect(`${member}.`.startsWith(`${path}.`), `${path}: ${member}`).to.equal(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses what is no document', () => {
    for (const document of [undefined, null, 'artist', 7, [], [artistDocument]])
      expect(memberRefused(parseArtist(document))).to.equal('document');
  });

  for (const [path, values] of refused.filter(([path]) => !isRequired(path))) {
    it(`leaves out a bad ${path}, names it, and reads the rest`, () => {
      const member = path.replace(/\.\d+$/, ''); // a list is left out as a whole
      const expected = modelOf(parseArtist(withMember(artistDocument, member, missing)));
      for (const value of values) {
        const parsed = parseArtist(withMember(artistDocument, path, value));
        expect(leftOutOf(parsed), String(typeof value)).to.deep.equal([path]);
        expect(modelOf(parsed)).to.deep.equal(expected);
      }
    });
  }

  it('leaves out several bad members at once', () => {
    const broken = {
      ...artistDocument,
      tier: 7,
      country_code: 'Indonesia',
      links: { spotify: 'x', tiktok: 'y' },
    };
    const parsed = parseArtist(broken);
    expect(leftOutOf(parsed)).to.have.members([
      'tier',
      'country_code',
      'links.spotify',
      'links.tiktok',
    ]);
    expect(modelOf(parsed)).to.deep.include({ tier: undefined, countryCode: undefined, links: {} });
  });

  for (const path of required) {
    it(`refuses a document without a valid ${path}, whatever else is wrong with it`, () => {
      for (const document of [
        artistDocument,
        { ...artistDocument, tier: 7, metrics: { social_score: 'x' } },
      ]) {
        for (const value of [missing, null, Symbol('bad')])
          expect(memberRefused(parseArtist(withMember(document, path, value)))).to.equal(path);
      }
    });
  }
});
