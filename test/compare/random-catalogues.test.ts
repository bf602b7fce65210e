import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { runCases } from '../../tools/compare/run.ts';
import { openEmbeddedTarget } from '../../tools/compare/targets/embedded-target.ts';
import { comparedForms } from '../../tools/migration/mapping/forms.ts';
import { useStarted } from '../support/cleanup.ts';
import { readNamed, runEmbedded, spikes } from '../support/compare/open-target.ts';
import { inList, slipping } from '../support/compare/slips.ts';
import { artistIds, labels, units } from '../support/forms/random-shortlist.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const today = '2026-08-22';

/** Names that a check may take for something else, or cannot ask for. */
const oddNames = [
  'lone \ud800',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00+02:00',
  'y'.repeat(121),
  'ß'.repeat(120),
  '%41',
];

/**
 * Fields outside the data format, some next to valid fields. A gateway leaves them out.
 */
const oddMembers = [
  { country_code: 'USA', tier: 'great', date_added: '2026-02-30', photo_url: 'no address' },
  { links: { tiktok: 'ftp://a.example', spotify: 'https://a.example', website: '' } },
  {
    metrics: {
      social_score: 2 ** 53 + 2,
      spotify_streams: 2 ** 53,
      monthly_listeners: '5',
      tiktok_followers: -1e300,
    },
  },
  {
    genres: ['pop', 5],
    status: { active: 'yes', claimed: true },
    signing: { status: 'maybe', note: 'A note.' },
  },
  {
    signing: { status: 'signed', note: '' },
    freshness: { metrics: 5, songs: 'daily', history: '' },
    editorial: 'Good.',
  },
  {
    data_quality: {
      complete: 'no',
      missing_metrics: [''],
      estimated_points: 1.5,
      warnings: ['gap', 1],
    },
  },
  {
    editorial: { scouting_report: 5, highlights: 'a tour', updated_at: 7 },
    provenance: { sources: [1], method: '' },
  },
  {
    songs: [
      {
        id: 'sng_1',
        name: 'One',
        metrics: { streams: 1e17, ugc_tiktok: 7 },
        artwork: '/a.jpg',
        rights: '℗ UMG',
      },
      {
        id: 'sng_2',
        name: 'Two',
        metrics: {},
        added_at: 5,
        preview_url: 'x',
        source_url: 'x:',
        tiktok_url: 'tiktok',
      },
      {
        id: 'sng_3',
        name: 'Three',
        metrics: {},
        rights: { p_line: 5, checked_at: '2026-08-22T11:00' },
      },
    ],
  },
];

/** A series with points outside the data format and a valid point. */
const oddSeries = (id: string) => ({
  artist_id: id,
  metric: 'instagram_followers',
  points: [
    { date: '2026-02-30', value: 1_000 },
    { date: '2026-08-18', value: 1_000 },
    { date: '2026-08-19', value: 2 ** 54 },
    { date: '2026-08-20', value: '1500' },
    { date: '2026-08-21', value: 1_500, stale: 'no' },
    { date: '2026-08-22', value: 2_000, estimated: null, terminal: false },
  ],
});

/** Documents with an artist for every identifier. */
const catalogues = fc
  .tuple(fc.tuple(...artistIds.map((id) => units(today, fc.constant(id)))), labels)
  .map(([drawn, tracked]) => {
    const all = drawn.map((unit, index) => unit(Date.parse(`${today}T00:00:00Z`) + index));
    const artists = all.map(({ artist }, index) => ({
      ...{ ...artist, name: oddNames[index] ?? artist.name },
      ...oddMembers[index - oddNames.length],
    }));
    const [odd = ''] = artistIds.slice(-1);
    const history = all
      .flatMap(({ series }) => series)
      .filter(({ artist_id, metric }) => artist_id !== odd || metric !== 'instagram_followers');
    const [first, second] = artists;
    const again = [
      { ...first, _id: 'doc-again', name: 'Same id' },
      { ...second, id: 'art_again', name: 'Same document' },
      {
        ...second,
        _id: 'doc-again',
        id: 'art_last',
        name: 'Same document as one that is left out',
      },
    ];
    return {
      artists: [...artists, ...again],
      history: [...history, oddSeries(odd)],
      labels: tracked,
    };
  });

/** A text of JSON that keeps the sign of a zero. */
const withSigns = (documents: unknown): string =>
  JSON.stringify(documents, (_name, value) =>
    Object.is(value, -0) ? 'minus zero' : value,
  ).replaceAll('"minus zero"', '-0');

describe('compare over a random catalogue', function () {
  this.timeout(120_000);
  const folder = useStarted(createDocumentFolder, ({ close }) => close());
  const numRuns = process.env['EXAMPLE_RUNS'] === 'all' ? 4 : 1;
  const samples = fc.sample(catalogues, { seed, numRuns });
  const now = Date.parse(`${today}T12:00:00Z`);

  const write = async (catalogue: object): Promise<void> => {
    for (const [name, documents] of Object.entries(catalogue))
      await writeFile(join(folder.path, `${name}.json`), withSigns(documents));
  };

  for (const [index, catalogue] of samples.entries()) {
    it(`finds no difference in a right gateway (FUZZ_SEED=${seed}, ${index + 1})`, async () => {
      await write(catalogue);
      const { cases } = await runEmbedded(await readNamed(), { now, folder: folder.path });
      const wrong = cases.flatMap(({ name, unexpected }) =>
        unexpected.map(({ block, line }) => `${name}, ${block}: ${line.row} ${line.unexpected}`),
      );
      expect(cases.length).to.be.above(100);
      expect(wrong).to.deep.equal([]);
    });
  }

  /** By the place in `oddMembers` of the artist that shows it. */
  const faults: readonly (readonly [string, number, string, object])[] = [
    ['keeps a country of three letters', 0, 'artist.country_code', { country_code: 'USA' }],
    [
      'keeps a metric above 2^53',
      2,
      'artist.metrics.*',
      { metrics: { social_score: 2 ** 53 + 2 } },
    ],
    ['drops a metric of 2^53 next to one above', 2, 'artist.metrics.*', { metrics: {} }],
    ['drops songs with a field that is left out', 7, 'artist.songs[].id', { songs: [] }],
  ];
  for (const [what, place, row, fields] of faults) {
    it(`finds a gateway that ${what} in both forms`, async () => {
      const odd = artistIds[oddNames.length + place];
      const change = inList((list) =>
        list.map((one) =>
          [odd, `doc-${odd}`].includes(Object(one).id) ? { ...Object(one), ...fields } : one,
        ),
      );
      const slips = comparedForms.map((form) => ({ form, of: 'artists', at: '', change }) as const);
      const { cases } = await runEmbedded(await readNamed('artists'), {
        ...{ now, folder: folder.path },
        slip: (send) => slipping(send, ...slips),
      });
      const lines = cases.flatMap(({ unexpected }) => unexpected.map(({ line }) => line));
      expect(lines.map((line) => line.row)).to.include(row);
    });
  }

  it('names the case of a check that throws, and compares the others', async () => {
    const target = await openEmbeddedTarget({ folder: fixtureFolder, spikes });
    const knowledge = {
      ...target.knowledge,
      hasScope: () => () => {
        throw new RangeError('an unforeseen value');
      },
    };
    const chosen = await readNamed('signings', 'health');
    const { cases } = await runCases(chosen, { ...target, knowledge });
    await target.close();
    const text = (name: string) =>
      cases.find((one) => one.name === name)?.unexpected[0]?.line.unexpected;
    expect(text('signings')).to.match(
      /^The check threw .*signing\.note.* RangeError: an unforeseen value$/,
    );
    expect(text('health')).to.equal(undefined);
  });
});
