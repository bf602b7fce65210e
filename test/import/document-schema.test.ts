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
import { docsFolder } from '../../src/runtime/config.ts';
import { checkDocument } from '../../tools/import/check-document.ts';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { collections } from '../../tools/import/input-files.ts';
import { toStored } from '../../tools/import/to-stored.ts';
import { validateHere } from '../support/cli/import-here.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
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
