import { writeFile } from 'node:fs/promises';
import Ajv2020 from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { checkDocument } from '../../tools/import/check-document.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import type { CatalogueCollection } from '../../tools/import/input-files.ts';
import { buildKey } from '../support/builders.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectUsageError } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { createManualClock } from '../support/clock.ts';
import { runProgram } from '../support/deploy/run-program.ts';

const [artist = {}] = artistDocuments(1);
const [series = {}] = seriesDocuments(1);
const label = { name: 'Tidemark', aliases: [] };

const issuesIn = (collection: CatalogueCollection, text: string): readonly string[] =>
  checkDocument(collection, { bytes: Buffer.from(text) }).issues.map(
    ({ path, message }) => `${path}: ${message}`,
  );
const issuesOf = (collection: CatalogueCollection, document: Document): readonly string[] =>
  issuesIn(collection, JSON.stringify(document));
const song = (given: Document): Document => ({
  songs: [{ id: 's', name: 'Song', metrics: {}, ...given }],
});

describe('a document to import', () => {
  const folder = useInputFolder();
  const refused: readonly (readonly [
    what: string,
    CatalogueCollection,
    Document,
    message: RegExp,
  ])[] = [
    ...['.', '..', 'a\nb', 'tab\t', '\u0000', 'c\u0085'].map(
      (id) =>
        [
          `the id ${JSON.stringify(id)}`,
          'artists',
          { ...artist, id },
          /^id: .+; expected an id that a URL can /,
        ] as const,
    ),
    ...['2024', '20240506', 'autumn', '1999-12-31', '2026-13-01', '2026-08'].map(
      (day) =>
        [
          `a song of ${day}`,
          'artists',
          { ...artist, ...song({ added_at: day }) },
          /^songs\.0\.added_at: ".+"; expected a day from 2000 to 2099, .+, or an instant$/,
        ] as const,
    ),
    [
      'an id of 201 bytes',
      'artists',
      { ...artist, id: `${'ä'.repeat(100)}x` },
      /^id: .+; expected an id of at most 200 bytes$/,
    ],
    [
      'an instant of 1999 in UTC',
      'artists',
      { ...artist, updated_at: '2000-01-01T00:30:00+02:00' },
      /^updated_at: /,
    ],
    [
      'an instant of 2100 in UTC',
      'artists',
      { ...artist, updated_at: '2099-12-31T23:30:00-02:00' },
      /^updated_at: /,
    ],
    [
      'a label of signs',
      'labels',
      { name: '!!!', aliases: ['™', '?'] },
      /^name: expected a letter or a digit in the name or an alias/,
    ],
  ];
  for (const [what, collection, document, message] of refused)
    it(`is refused with ${what}, in one line`, () => {
      const issues = issuesOf(collection, document);
      expect(issues).to.have.length(1);
      expect(issues[0]).to.match(message);
    });

  it('is accepted with an id that only looks like one of these, a label that an alias finds, and days and instants', () => {
    for (const id of ['...', '.a', 'a..', 'ä', 'a b', 'a/b', '%', '\u{1f389}', '\u2028'])
      expect(issuesOf('artists', { ...artist, id }), id).to.deep.equal([]);
    for (const day of ['2024-02-29', '2026-08-22T11:00:00+02:00'])
      expect(issuesOf('artists', { ...artist, ...song({ added_at: day }) }), day).to.deep.equal([]);
    for (const name of ['!!!', '4'])
      expect(issuesOf('labels', { name, aliases: ['Chk Chk Chk'] }), name).to.deep.equal([]);
  });

  it('is warned with a day or an instant after the latest day, and not with another text', () => {
    const warningsOf = (reviewed_at: string) =>
      checkDocument(
        'artists',
        { bytes: Buffer.from(JSON.stringify({ ...artist, signing: { reviewed_at } })) },
        '2026-08-24',
      ).warnings;
    for (const late of ['2026-08-25', '2026-08-25T00:00:00Z'])
      expect(warningsOf(late), late).to.deep.equal([
        {
          path: 'signing.reviewed_at',
          message: 'is a day after 2026-08-24, more than two days ahead',
        },
      ]);
    for (const other of ['2026-08-24', '2026-08-24T23:59:59Z', '2nd of May', '2027', '27 May'])
      expect(warningsOf(other), other).to.deep.equal([]);
  });

  it('is warned with characters that were decoded wrongly', () => {
    const warningsOf = (note: string) =>
      checkDocument('artists', {
        bytes: Buffer.from(JSON.stringify({ ...artist, signing: { note } })),
      }).warnings.map(({ path, message }) => `${path} ${message}`);
    expect(warningsOf('It\ufffds')).to.deep.equal([
      'signing.note has U+FFFD, which stands for characters that were decoded wrongly',
    ]);
    for (const wrong of ['It\u0092s', '\u0080 5', '\u009f'])
      expect(warningsOf(wrong), JSON.stringify(wrong)).to.deep.equal([
        'signing.note has a character from U+0080 to U+009F: Windows-1252 that was decoded as Latin-1',
      ]);
    expect(warningsOf('It\u2019s \u20ac 5 caf\u00e9\u00a0\t')).to.deep.equal([]);
  });

  const numbers: readonly (readonly [number: string, becomes: string | undefined])[] = [
    ['9007199254740993', '9007199254740992'],
    ['12345678901234567890', '12345678901234567000'],
    ['0.12345678901234567890', '0.12345678901234568'],
    ['1e400', 'Infinity'],
    ['1E-400', '0'],
    ['9007199254740992', undefined],
    ['61333.32720000001', undefined],
    ['1.50000000000000000000', undefined],
    [`1${'0'.repeat(999)}`, 'Infinity'],
    ['-0', undefined],
    ['-0.0e5', undefined],
    ['1e21', undefined],
    ['12.5E+3', undefined],
  ];
  for (const [number, becomes] of numbers)
    it(`is ${becomes === undefined ? 'accepted' : 'refused'} with the number ${number}`, () => {
      const text = JSON.stringify({ ...artist, crm: { account: [7] } }).replace(
        '[7]',
        `["7", ${number}]`,
      );
      expect(issuesIn('artists', text)).to.deep.equal(
        becomes === undefined
          ? []
          : [
              `crm.account.1: ${number.length > 40 ? `${number.slice(0, 40)}…` : number} would become ${becomes}; expected a number of at most 15 digits, or a text in a member of your own`,
            ],
      );
    });

  it('is refused with a number of more than 1,000 characters, without reading it further', () => {
    for (const zeros of [1_000, 200_000, 8_000_000]) {
      const text = JSON.stringify({ ...artist, crm: 7 }).replace('7', `1.${'0'.repeat(zeros)}1`);
      expect(issuesIn('artists', text)).to.deep.equal([
        `crm: has ${zeros + 3} characters; expected a number of at most 15 digits, or a text in a member of your own`,
      ]);
    }
  });

  it('is refused with control characters in the name of an artist, a song or a label', () => {
    const message = 'expected a text without control characters, such as a line end or a tab';
    for (const control of ['\n', '\t', '\u0000', '\u001b', '\u007f', '\u0085']) {
      const name = `A${control}B`;
      for (const [collection, document, path] of [
        ['artists', { ...artist, name }, 'name'],
        ['artists', { ...artist, ...song({ name }) }, 'songs.0.name'],
        ['labels', { ...label, name }, 'name'],
        ['labels', { ...label, aliases: ['a', name] }, 'aliases.1'],
      ] as const)
        expect(issuesOf(collection, document)).to.deep.equal([
          `${path}: ${JSON.stringify(name)}; ${message}`,
        ]);
    }
    expect(issuesOf('artists', { ...artist, name: 'A\u200dB \u2028' })).to.deep.equal([]);
  });

  it('is refused once for all its members in extended JSON, with the program that makes them plain', () => {
    const document = {
      ...artist,
      _id: { $oid: '66a18b869b2e81c0c529552a' },
      updated_at: { $date: '2026-08-22T00:00:00Z' },
    };
    const [issue = '', ...others] = issuesOf('artists', {
      ...document,
      crm: [{ big: { $numberLong: '7' } }],
      name: 7,
    });
    expect(issue).to.match(
      /^_id: is extended JSON, as mongoexport writes it \(with 2 other members\); make it plain with jq -c '/,
    );
    expect(others).to.deep.equal([]);
  });

  it('is plain after the program that is named for extended JSON, relaxed and canonical', async () => {
    const _id = '66a18b869b2e81c0c529552a';
    const updatedAt = '2026-08-22T00:00:00.005Z';
    const long = (value: number | string) => ({ $numberLong: String(value) });
    const relaxed = { ...artist, _id: { $oid: _id }, updated_at: { $date: updatedAt } };
    const canonical = {
      ...relaxed,
      updated_at: { $date: long(Date.parse(updatedAt)) },
      metrics: { monthly_listeners: long('41202334871'), social_score: { $numberDouble: '7.5' } },
      data_quality: { estimated_points: { $numberInt: '0' }, complete: false },
      crm: [{ before: { $date: long(-1) } }, { price: { $numberDecimal: '2' } }],
    };
    const path = await folder.writeText(
      'artists.ndjson',
      `${JSON.stringify(relaxed)}\n${JSON.stringify(canonical)}\n`,
    );
    const [, command = ''] =
      /make it plain with (jq .*)$/.exec(issuesOf('artists', canonical)[0] ?? '') ?? [];
    const output = await runProgram('sh', ['-c', `${command} ${path}`], folder.path);
    const lines = output.trim().split('\n');
    const plain = { ...artist, _id, updated_at: updatedAt };
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal([
      plain,
      {
        ...plain,
        metrics: { monthly_listeners: 41_202_334_871, social_score: 7.5 },
        data_quality: { estimated_points: 0, complete: false },
        crm: [{ before: '1969-12-31T23:59:59.999Z' }, { price: 2 }],
      },
    ]);
    for (const line of lines) expect(issuesIn('artists', line)).to.deep.equal([]);
  });

  it('is refused where it is an array, with the program that takes the documents out of it', () => {
    expect(issuesIn('labels', JSON.stringify([label]))).to.deep.equal([
      'document: is an array: take the documents out of it with jq -c ".[]"',
    ]);
  });

  it('is refused without being read when its text is longer than 8 MB', () => {
    const text = JSON.stringify(artist).replace('{', `{${' '.repeat(8 * 2 ** 20)}`);
    expect(issuesIn('artists', text)).to.deep.equal([
      'document: is longer than 8 MB: a longer text might not fit into a MongoDB document',
    ]);
  });

  it('agrees with the JSON Schema about ids and days of songs', () => {
    const ajv = new Ajv2020.default({
      strict: false,
      formats: { date: true, 'date-time': true, uri: true },
    });
    for (const [, collection, document] of refused.filter(
      ([what]) => !/in UTC|13|bytes|label/.test(what),
    ))
      expect(ajv.validate(documentSchema(collection), document), JSON.stringify(document)).to.equal(
        false,
      );
  });
});

describe('the text of a key in an input', () => {
  const folder = useInputFolder(true);
  const { text } = buildKey({ id: 'abc123' });
  const secret = text.slice('aik_abc123_'.length);
  const places: readonly (readonly [where: string, CatalogueCollection, Document])[] = [
    ['a name', 'artists', { ...artist, name: text }],
    ['an id', 'artists', { ...artist, id: text, _id: text }],
    ['a status', 'artists', { ...artist, tier: text, status: { active: text } }],
    ['the name of a member', 'artists', { ...artist, status: { [text]: 1 } }],
    [
      'the name of a member that nobody knows',
      'artists',
      { ...artist, crm: [{ [`see ${text}`]: { deep: 1 } }] },
    ],
    ['a song', 'artists', { ...artist, ...song({ id: text, name: text }) }],
    ['a series', 'history', { ...series, artist_id: text, song_id: text, metric: text }],
    ['a label', 'labels', { name: text, aliases: [text] }],
  ];
  for (const [where, collection, document] of places)
    it(`is refused as ${where}, and not repeated`, async () => {
      await folder.write('artists', artistDocuments(1));
      await folder.write(collection, [document, document]);
      for (const format of [[], ['--json']]) {
        const { code, stdout, stderr } = await runWarm({}, [
          'catalogue',
          'validate',
          folder.path,
          ...format,
        ]);
        expect(code).to.equal(1);
        expect(stdout).to.include(
          'contains the text of key abc123, which must not be stored: rotate that key',
        );
        expect(stdout + stderr).not.to.include(secret.slice(0, 6));
      }
    });

  it('is not repeated by what is said of a document that is no JSON or no UTF-8', async () => {
    for (const line of [`{"name": "${text}"}}`, `{"name": ${text}}`, `{"name": "${text}`])
      await folder.writeText('artists.ndjson', `${line}\n`).then(async () => {
        const { code, stdout } = await runWarm({}, ['catalogue', 'validate', folder.path]);
        expect(code).to.equal(1);
        for (let at = 0; at + 6 <= secret.length; at += 1)
          expect(stdout).not.to.include(secret.slice(at, at + 6));
      });
    const latin1 = Buffer.from(`{"name": "${text}\u00f6"}\n`, 'latin1');
    const found = checkDocument('artists', { bytes: latin1 }).issues.map(({ message }) => message);
    expect(found.join())
      .to.match(/^is not UTF-8/)
      .and.not.to.include(secret.slice(-6));
  });
});

describe('one folder', () => {
  const folder = useInputFolder(true);

  it('is the same catalogue for an import and for a gateway over files, which both name what they do not read', async () => {
    const [first, second, third] = artistDocuments(3);
    await folder.writeText('artists-1.json', JSON.stringify([first]));
    await folder.writeText('artists-more.jsonl', JSON.stringify(second));
    await folder.write('artists-2026', [third ?? {}]);
    await folder.writeText('labels.json', '[]');
    await folder.write('labels-old', [label]);
    for (const [index, one] of seriesDocuments(3).entries())
      await folder.write(`history-${index}`, [one]);
    for (const name of [
      'Artists.JSON',
      'artists.ndjson.gz',
      'labels.txt',
      'notes.md',
      'api_keys-old.json',
    ])
      await folder.writeText(name, 'x');
    const { code, stderr } = await runWarm({}, ['catalogue', 'validate', folder.path]);
    expect(code).to.equal(0);
    expect(stderr).to.include('Valid: 3 artists, 6 series, 0 labels.');
    const source = createEmbeddedCatalogue({
      folder: folder.path,
      clock: createManualClock(),
      rebaseToToday: false,
    });
    const { artists, faults } = await source.load();
    const histories = await Promise.all(
      artists.map(async ({ artist: one }) => (await source.read(one)).series.length),
    );
    expect(histories).to.deep.equal([2, 2, 2]);
    const unread = faults.flatMap(({ event, document }) =>
      event === 'file ignored' ? [document] : [],
    );
    expect(unread.map((path) => path.slice(folder.path.length + 1))).to.have.members([
      'Artists.JSON',
      'artists.ndjson.gz',
      'labels-old.ndjson',
      'labels.txt',
    ]);
    for (const path of [...unread, `${folder.path}/api_keys-old.json`])
      expect(stderr).to.include(`${path}: not read: `);
  });

  it('is refused with two endings of one name, also when both are named', async () => {
    const [first, second] = [
      await folder.writeText('history.json', '[]'),
      await folder.writeText('history.ndjson', ''),
    ];
    for (const paths of [[folder.path], [first, second]])
      expectUsageError(
        await runWarm({}, ['catalogue', 'validate', ...paths]),
        /there are .*history\.json and .*history\.ndjson: neither is read, remove one of them\.$/,
      );
  });

  it('says what to do with a document a line in a file for an array', async () => {
    await folder.write('artists', []);
    const path = await folder.writeText(
      'artists-lines.json',
      artistDocuments(2)
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    const { code, stdout } = await runWarm({}, ['catalogue', 'validate', path]);
    expect(code).to.equal(1);
    expect(stdout).to.include('end its name in .ndjson if it holds a document a line');
  });
});

describe('a line of an input', () => {
  const folder = useInputFolder();

  for (const [what, bytes, isRead] of [
    ['that is one byte of Latin-1', Buffer.from([0xa0]), true],
    ['of 1,000 blanks', Buffer.from(' '.repeat(1_000)), false],
    ['of a carriage return', Buffer.from('\r'), false],
  ] as const)
    it(`${what} is ${isRead ? 'refused' : 'skipped'}`, async () => {
      const path = await folder.writeText('artists.ndjson', '');
      await writeFile(path, Buffer.concat([bytes, Buffer.from(`\n${JSON.stringify(artist)}\n`)]));
      const { code } = await runWarm({}, ['catalogue', 'validate', path]);
      expect(code).to.equal(isRead ? 1 : 0);
    });
});
