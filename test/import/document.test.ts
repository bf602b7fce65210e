import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import {
  parseArtist,
  parseLabel,
  parseSeries,
} from '../../adapters/stores/documents/catalogue-documents.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
import { checkDocument } from '../../tools/import/check-document.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { type CatalogueCollection, collections } from '../../tools/import/input-files.ts';
import { toStored } from '../../tools/import/to-stored.ts';
import { buildKey } from '../support/builders.ts';
import { validateHere } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { runWarm } from '../support/cli/run.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { readFixtures } from '../support/documents.ts';
import { createRandom } from '../support/nemesis/random.ts';
import {
  missing,
  notDays,
  notInstants,
  notTexts,
  notUrls,
  pathsIn,
  urls,
  withMember,
} from '../support/stores/stored-documents.ts';

type Collection = (typeof collections)[number];

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
addFormats.default(ajv);
const schemas = new Map(collections.map((one) => [one, ajv.compile(documentSchema(one))]));
const schemaErrors = (collection: Collection, document: unknown): string => {
  const validate = schemas.get(collection);
  return validate?.(document) === true ? '' : ajv.errorsText(validate?.errors);
};
const issuesOf = (collection: Collection, document: unknown) =>
  checkDocument(collection, { bytes: Buffer.from(JSON.stringify(document)) }).issues;

const parse = { artists: parseArtist, history: parseSeries, labels: parseLabel };

/** What only `validate` finds in one document, by its messages: the rows of the page. */
const beyondSchemas = [
  /expected days in order, one point per day$/,
  /^the song .* is listed twice$/,
  /expected an address that begins with https:\/\/ or http:\/\/$/,
  /which MongoDB does not store$/,
  /^expected a letter or a digit in the name or an alias/,
  /half a character|contains the text of key/,
];

const fixtures: Readonly<Record<Collection, readonly object[]>> = readFixtures();

/** Values that are valid in some field, and all that are invalid in one. */
const replacements: readonly unknown[] = [
  ...[missing, null, true, 0, 5, -1, 0.5, 2 ** 53, 2 ** 60, ' ', ['a text'], [5], {}],
  ...[{ date: '2026-08-22' }, '2024-02-29', '1999-12-31', '2100-01-01', '2024', '20240506'],
  ...['2026-08', 'autumn 2026', '2026-08-22', '2026-08-22T11:00:00Z', '2026-08-22T11:00Z'],
  ...['2026-08-22T11:00:00.123456+02:00', '2026-08-22 11:00:00', '2026-08-22T24:00:00Z'],
  ...['PT', 'pt', 'PRT', 'P1', 'watch', 'Watch', 'signed', 'streams', 'monthly_listeners'],
  ...[' https://host.example', '.', '..', 'a\nb', '\u0000', 'c\u0085'],
  ...[201, 1001, 100_001].map((length) => 'x'.repeat(length)),
  ...[...notTexts, ...notDays, ...notInstants, ...urls, ...notUrls],
];

describe('the JSON Schemas of documents to import', () => {
  for (const collection of collections) {
    it(`accept the example catalogue, in patterns for all languages: ${collection}`, () => {
      for (const document of fixtures[collection]) {
        expect(schemaErrors(collection, document)).to.equal('');
        expect(issuesOf(collection, document)).to.deep.equal([]);
      }
      // properties of Unicode
      expect(JSON.stringify(documentSchema(collection))).to.not.match(/\\[pP]\{/);
    });

    it(`agree with \`validate\` on 400 mutated documents, except for the listed errors: ${collection}`, () => {
      const random = createRandom(36);
      const pick = <Item>(items: readonly Item[]): Item =>
        items[Math.floor(random() * items.length)] as Item; // there is one
      let rejected = 0;
      for (let done = 0; done < 400; done += 1) {
        const document = pick(fixtures[collection]);
        const path = pick(pathsIn(document));
        const mutated = JSON.parse(JSON.stringify(withMember(document, path, pick(replacements))));
        const errors = schemaErrors(collection, mutated);
        const issues = issuesOf(collection, mutated);
        const others = issues.filter(
          ({ message }) => !beyondSchemas.some((known) => known.test(message)),
        );
        if (errors === '') expect(others, path).to.deep.equal([]);
        else expect(issues, `${path}: ${errors}`).to.not.be.empty;
        rejected += errors === '' ? 0 : 1;
        // a gateway reads all of it
        if (issues.length === 0)
          expect(parse[collection](toStored(mutated)), path).to.have.all.keys('model');
      }
      expect(rejected).to.be.within(100, 390);
    });
  }

  const [series] = fixtures.history;
  const [artist = {}] = fixtures.artists.filter((one) => Object.values(one).includes('art_7rf1ly'));
  const [song] = Object(artist).songs;
  const days = (...some: string[]) => some.map((day) => ({ date: `2026-08-${day}`, value: 1 }));
  const onlyValidated: readonly (readonly [path: string, Collection, object])[] = [
    ['points.1.date', 'history', { ...series, points: days('21', '20') }],
    ['points.1.date', 'history', { ...series, points: days('21', '21') }],
    ['songs.1.id', 'artists', { ...artist, songs: [song, song] }],
    ['photo_url', 'artists', { ...artist, photo_url: 'https://host:99999' }],
    ['crm.0.$set', 'artists', { ...artist, crm: [{ $set: 1 }] }],
    ['name', 'labels', { name: '!!!', aliases: ['?'] }],
    ['name', 'artists', { ...artist, name: '\ud800' }],
  ];
  for (const [index, [path, collection, document]] of onlyValidated.entries())
    it(`accept what only \`validate\` rejects: ${path} of ${collection} (${index})`, () => {
      expect(schemaErrors(collection, document)).to.equal('');
      const issues = issuesOf(collection, document);
      expect(issues.map((issue) => issue.path)).to.deep.equal([path]);
      const rows = beyondSchemas.filter((known) => known.test(issues[0]?.message ?? ''));
      expect(rows).to.have.length(1);
    });
});

describe('docs/importing.md', () => {
  const folder = useInputFolder();

  /** The paths of all fields of a schema. */
  const fieldsOf = (schema: unknown, path = ''): string[] => {
    const { properties = {}, items, anyOf = [] } = Object(schema);
    const inside = Object.entries(properties).flatMap(([name, member]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [at, ...fieldsOf(member, at)];
    });
    const alternatives: readonly unknown[] = anyOf;
    return [
      ...inside,
      ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
      ...alternatives.flatMap((one) => fieldsOf(one, path)),
    ];
  };

  it('contains a valid example with every field', async () => {
    const page = readFileSync(join(docsFolder, 'importing.md'), 'utf8');
    const files = [...page.matchAll(/^`(\w+\.(?:json|ndjson))`.*\n\n```json\n([^`]+)```/gm)];
    for (const [, name = '', text = ''] of files) await folder.writeText(name, text);
    const { total, valid } = await validateHere([folder.path]);
    expect({ total, ...valid }).to.deep.equal({ total: 0, artists: 1, series: 2, labels: 1 });
    for (const [, name = '', text = ''] of files) {
      const collection = collections.find((one) => name.startsWith(one)) ?? 'labels';
      const array = name.endsWith('.json') ? text : `[${text.trim().replaceAll('\n', ',')}]`;
      const documents: readonly unknown[] = JSON.parse(array);
      for (const document of documents)
        expect(schemaErrors(collection, document), name).to.equal('');
      const paths = documents.flatMap(pathsIn).filter((path) => !/\.\d+$/.test(path));
      const fields = new Set(paths.map((path) => path.replaceAll(/\.\d+/g, '[]')));
      expect(fields, name).to.deep.equal(new Set(fieldsOf(documentSchema(collection))));
    }
  });
});

const [artist = {}] = artistDocuments(1);
const [series = {}] = seriesDocuments(1);
const label = { name: 'Tidemark', aliases: [] };
const song = (given: Document): Document => ({
  songs: [{ id: 's', name: 'Song', metrics: {}, ...given }],
});
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

/** The errors of a document, a line each; without errors its warnings. */
const linesOf = (collection: CatalogueCollection, text: string): readonly string[] => {
  const { issues, warnings } = checkDocument(
    collection,
    { bytes: Buffer.from(text) },
    '2026-08-24',
  );
  const errors = issues.map(({ path, message }) => `${path}: ${message}`);
  const others = warnings.map(({ path, message }) => `warning ${path} ${message}`);
  return errors.length > 0 ? errors : others;
};
const linesIn = (collection: CatalogueCollection, document: object) =>
  linesOf(collection, JSON.stringify(document));

const aDay = 'expected a day from 2000 to 2099, such as "2026-08-22"';
const noControl = 'expected a text without control characters, such as a line end or a tab';
const late = 'warning signing.reviewed_at is a day after 2026-08-24, more than two days ahead';
const replaced = 'has U+FFFD, which stands for characters that were decoded wrongly';
const asLatin1 = 'has a character from U+0080 to U+009F: Windows-1252 that was decoded as Latin-1';
const anInstant = 'expected an instant from 2000 to 2099, such as "2026-08-22T11:00:00Z"';
const signing = (given: object) => ({ ...artist, signing: given });

/** Fields of an artist, and the line of each; none: it is accepted. */
const artists: readonly (readonly [given: Document, line?: string | RegExp])[] = [
  ...['.', '..', 'a\nb', 'tab\t', '\u0000', 'c\u0085'].map(
    (id) => [{ id }, /^id: .+; expected an id that a URL can /] as const,
  ),
  ...['...', '.a', 'a..', 'ä', 'a b', 'a/b', '%', '\u{1f389}'].map((id) => [{ id }] as const),
  [{ id: '\u2028' }, 'warning id has nothing but blanks'],
  [{ id: `${'ä'.repeat(100)}x` }, /^id: .+; expected an id of at most 200 bytes$/],
  ...['2024', '20240506', 'autumn', '1999-12-31', '2026-13-01', '2026-08'].map(
    (day) =>
      [
        song({ added_at: day }),
        /^songs\.0\.added_at: ".+"; expected a day from 2000 to 2099, .+, or an instant$/,
      ] as const,
  ),
  ...['2024-02-29', '2026-08-22T11:00:00+02:00'].map((day) => [song({ added_at: day })] as const),
  [{ date_added: '9999-12-31' }, `date_added: "9999-12-31"; ${aDay}`],
  ...['1826-08-22T00:00:00Z', '2000-01-01T00:30:00+02:00', '2099-12-31T23:30:00-02:00'].map(
    (updated_at) => [{ updated_at }, `updated_at: "${updated_at}"; ${anInstant}`] as const,
  ),
  [{ country_code: 'Indonesia' }, 'country_code: "Indonesia"; expected two letters'],
  [{ metrics: { social_score: '7' } }, /^metrics\.social_score: "7"; expected a number from 0 to/],
  [{ metrics: { social_score: -1 } }, /^metrics\.social_score: -1; expected a number from 0 to/],
  [{ links: { spotify: 'ftp://x' } }, /^links\.spotify: "ftp:\/\/x"; expected an address that /],
  [song({ name: '' }), 'songs.0.name: ""; expected a text'],
  [
    { status: undefined },
    'status: missing; expected an object of true or false by name (active, verified, shortlisted, claimed); {} when none is known',
  ],
  [
    song({ metrics: undefined }),
    'songs.0.metrics: missing; expected an object of numbers by name (streams, ugc_tiktok, ugc_instagram); {} when none is known',
  ],
  [{ crm: nested(101) }, new RegExp(`^crm\\.${'a\\.'.repeat(98)}a: is nested deeper than 100 `)],
  [{ crm: [Array(60_000).fill(1), Array(40_001).fill(1)] }, /^crm\.1: has too many elements/],
  ...['\n', '\u0000', '\u001b', '\u007f', '\u0085'].flatMap((control) => {
    const name = `A${control}B`;
    const text = JSON.stringify(name);
    return [
      [{ name }, `name: ${text}; ${noControl}`] as const,
      [song({ name }), `songs.0.name: ${text}; ${noControl}`] as const,
    ];
  }),
  [{ name: 'A\u200dB \u2028' }],
  ...['2026-08-25', '2026-08-25T00:00:00Z'].map(
    (reviewed_at) => [signing({ reviewed_at }), late] as const,
  ),
  ...['2026-08-24', '2026-08-24T23:59:59Z', '2nd of May', '2027', '27 May'].map(
    (reviewed_at) => [signing({ reviewed_at })] as const,
  ),
  [signing({ note: 'It\ufffds' }), `warning signing.note ${replaced}`],
  ...['It\u0092s', '\u0080 5', '\u009f'].map(
    (note) => [signing({ note }), `warning signing.note ${asLatin1}`] as const,
  ),
  [signing({ note: 'It\u2019s \u20ac 5 caf\u00e9\u00a0\t' })],
  [{ metrics: { monthly_listener: 1 } }, /^warning metrics\.monthly_listener is not read; did /],
  [{ countryCode: 'DE' }, 'warning countryCode is not read; did you mean country_code?'],
  [
    song({ rights: { pline: '℗' } }),
    'warning songs.rights.pline is not read; did you mean p_line?',
  ],
  [{ crm: { nmae: 'x' } }],
];

const labels: readonly (readonly [given: Document, line?: string | RegExp])[] = [
  [
    { name: '!!!', aliases: ['™', '?'] },
    /^name: expected a letter or a digit in the name or an alias/,
  ],
  ...['!!!', '4'].map((name) => [{ name, aliases: ['Chk Chk Chk'] }] as const),
  [{ name: 'A\tB' }, `name: "A\\tB"; ${noControl}`],
  [{ aliases: ['a', 'A\tB'] }, `aliases.1: "A\\tB"; ${noControl}`],
];

/** Numbers, and what would be stored in their place; none: the same. */
const numbers: readonly (readonly [number: string, becomes?: string])[] = [
  ['9007199254740993', '9007199254740992'],
  ['12345678901234567890', '12345678901234567000'],
  ['0.12345678901234567890', '0.12345678901234568'],
  ['1e400', 'Infinity'],
  ['1E-400', '0'],
  [`1${'0'.repeat(999)}`, 'Infinity'],
  ...['9007199254740992', '61333.32720000001', '1.50000000000000000000'].map(
    (number) => [number] as const,
  ),
  ...['-0', '-0.0e5', '1e21', '12.5E+3'].map((number) => [number] as const),
];
const fewDigits = 'expected a number of at most 15 digits, or a text in a member of your own';

describe('a document to import', () => {
  for (const [collection, base, rows] of [
    ['artists', artist, artists],
    ['labels', label, labels],
  ] as const)
    for (const [given, line] of rows)
      it(`${line === undefined ? 'accepts' : 'rejects or warns of'} ${JSON.stringify(given).slice(0, 60)} in ${collection}`, () => {
        const lines = linesIn(collection, { ...base, ...given });
        expect(lines).to.have.length(line === undefined ? 0 : 1);
        if (typeof line === 'string') expect(lines).to.deep.equal([line]);
        else if (line !== undefined) expect(lines[0]).to.match(line);
      });

  for (const [number, becomes] of numbers)
    it(`${becomes === undefined ? 'accepts' : 'rejects'} the number ${number.slice(0, 40)}`, () => {
      const document = { ...artist, crm: { account: [7] } };
      const text = JSON.stringify(document).replace('[7]', `["7", ${number}]`);
      const shown = number.length > 40 ? `${number.slice(0, 40)}…` : number;
      const line = `crm.account.1: ${shown} would become ${becomes}; ${fewDigits}`;
      expect(linesOf('artists', text)).to.deep.equal(becomes === undefined ? [] : [line]);
    });

  it('rejects a number of more than 1,000 characters without reading it further', () => {
    for (const zeros of [1_000, 8_000_000]) {
      const text = JSON.stringify({ ...artist, crm: 7 }).replace('7', `1.${'0'.repeat(zeros)}1`);
      expect(linesOf('artists', text)).to.deep.equal([
        `crm: has ${zeros + 3} characters; ${fewDigits}`,
      ]);
    }
  });

  it('rejects an array, and a text longer than 8 MB, with one line', () => {
    expect(linesIn('labels', [label])).to.deep.equal([
      'document: is an array: take the documents out of it with jq -c ".[]"',
    ]);
    const long = JSON.stringify(artist).replace('{', `{${' '.repeat(8 * 2 ** 20)}`);
    expect(linesOf('artists', long)).to.deep.equal([
      'document: is longer than 8 MB: a longer text might not fit into a MongoDB document',
    ]);
  });
});

describe('a document in extended JSON', () => {
  const folder = useInputFolder();
  const _id = '66a18b869b2e81c0c529552a';
  const updatedAt = '2026-08-22T00:00:00.005Z';
  const long = (value: number | string) => ({ $numberLong: String(value) });
  const relaxed = { ...artist, _id: { $oid: _id }, updated_at: { $date: updatedAt } };

  it('is rejected with one line for all its fields', () => {
    const [line, ...others] = linesIn('artists', { ...relaxed, crm: [{ big: long(7) }], name: 7 });
    expect(others).to.deep.equal([]);
    expect(line).to.match(
      /^_id: is extended JSON, as mongoexport writes it \(with 2 other members\); make it plain with jq -c '/,
    );
  });

  it('is converted by the command in that line, relaxed or canonical', async () => {
    const canonical = {
      ...relaxed,
      updated_at: { $date: long(Date.parse(updatedAt)) },
      metrics: { monthly_listeners: long('41202334871'), social_score: { $numberDouble: '7.5' } },
      data_quality: { estimated_points: { $numberInt: '0' }, complete: false },
      crm: [{ before: { $date: long(-1) } }, { price: { $numberDecimal: '2' } }],
    };
    const path = await folder.write('artists', [relaxed, canonical]);
    const [command = ''] = /jq .*$/.exec(linesIn('artists', canonical)[0] ?? '') ?? [];
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
    for (const line of lines) expect(linesOf('artists', line)).to.deep.equal([]);
  });
});

describe('a key in an input', () => {
  const folder = useInputFolder(true);
  const { text } = buildKey({ id: 'abc123' });
  const secret = text.slice('aik_abc123_'.length);
  const validate = (...format: string[]) =>
    runWarm({}, ['catalogue', 'validate', folder.path, ...format]);

  it('is rejected in any field, and its secret is not printed', async () => {
    const artistsWithKey = [
      { name: text },
      { id: text },
      { tier: text, status: { active: text } },
      { status: { [text]: 1 } },
      { crm: [{ [`see ${text}`]: { deep: 1 } }] },
      song({ id: text, name: text }),
    ].map((given, index) => ({ ...artist, _id: `${index}`, id: `${index}`, ...given }));
    await folder.write('artists', [artist, ...artistsWithKey]);
    await folder.write('history', [{ ...series, artist_id: text, song_id: text, metric: text }]);
    await folder.write('labels', [{ name: text, aliases: [text] }]);
    for (const format of [[], ['--json']]) {
      const { code, stdout, stderr } = await validate(...format);
      expect(code).to.equal(1);
      const message = 'contains the text of key abc123, which must not be stored: rotate that key';
      const lines = stdout.split(format.length === 0 ? '\n' : /\}/).map((line) => line.trim());
      expect(lines.filter((line) => line.includes(message))).to.have.length(13);
      expect(stdout + stderr).not.to.include(secret.slice(0, 6));
    }
  });

  it('is not printed in errors about documents that are not JSON or UTF-8', async () => {
    for (const line of [`{"name": "${text}"}}`, `{"name": ${text}}`, `{"name": "${text}`]) {
      await folder.writeText('artists.ndjson', `${line}\n`);
      const { code, stdout } = await validate();
      expect(code).to.equal(1);
      for (let at = 0; at + 6 <= secret.length; at += 1)
        expect(stdout).not.to.include(secret.slice(at, at + 6));
    }
    const latin1 = Buffer.from(`{"name": "${text}\u00f6"}\n`, 'latin1');
    const [issue] = checkDocument('artists', { bytes: latin1 }).issues;
    expect(issue?.message)
      .to.match(/^is not UTF-8/)
      .and.not.include(secret.slice(-6));
  });
});
