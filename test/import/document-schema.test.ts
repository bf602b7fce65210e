import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { z } from 'zod';
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

const page = readFileSync(join(docsFolder, 'importing.md'), 'utf8');
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
addFormats.default(ajv);
const byCollection = <Value>(make: (collection: Collection) => Value) => ({
  artists: make('artists'),
  history: make('history'),
  labels: make('labels'),
});
const schemas = byCollection(
  (collection): ValidateFunction => ajv.compile(documentSchema(collection)),
);

const issuesOf = (collection: Collection, document: unknown) =>
  checkDocument(collection, { bytes: Buffer.from(JSON.stringify(document)) }).issues;

const parse = {
  artists: parseArtist,
  history: (document: unknown) => parseSeries(document),
  labels: parseLabel,
};

/** What `validate` alone finds in one document, by its messages: the rows of the page. */
const beyondSchemas = [
  /expected days in order, one point per day$/,
  /^the song .* is listed twice$/,
  /expected an address that begins with https:\/\/ or http:\/\/$/,
  /which MongoDB does not store$/,
  /^expected a letter or a digit in the name or an alias/,
  /half a character|contains the text of key/,
];

const { artists, history, labels } = readFixtures();
const documents: Readonly<Record<Collection, readonly object[]>> = { artists, history, labels };

/**
 * What takes the place of a member: some values that are good in some member, and all that are bad
 * in one.
 */
const replacements: readonly unknown[] = [
  ...[
    missing,
    null,
    true,
    0,
    5,
    -1,
    0.5,
    2 ** 53,
    2 ** 60,
    ' ',
    ['a text'],
    [5],
    {},
    { date: '2026-08-22' },
  ],
  ...[
    '2024-02-29',
    '1999-12-31',
    '2100-01-01',
    '2026-08',
    'autumn 2026',
    '2026-08-22T11:00:00.123456+02:00',
  ],
  ...[
    '2026-08-22',
    '2026-08-22T11:00:00Z',
    '2026-08-22T11:00Z',
    '2026-08-22 11:00:00',
    '2026-08-22T24:00:00Z',
  ],
  ...[
    'PT',
    'pt',
    'PRT',
    'P1',
    'watch',
    'Watch',
    'signed',
    'streams',
    'monthly_listeners',
    ' https://host.example',
  ],
  ...[201, 1001, 100_001].map((length) => 'x'.repeat(length)),
  ...[...notTexts, ...notDays, ...notInstants, ...urls, ...notUrls],
];

describe('the JSON Schemas of documents to import', () => {
  for (const collection of collections) {
    it(`accept the example catalogue: ${collection}`, () => {
      for (const document of documents[collection]) {
        expect(schemas[collection](document), JSON.stringify(schemas[collection].errors)).to.equal(
          true,
        );
        expect(issuesOf(collection, document)).to.deep.equal([]);
      }
    });

    it(`have only patterns that other languages read, without properties of Unicode: ${collection}`, () => {
      expect(JSON.stringify(documentSchema(collection))).to.not.match(/\\[pP]\{/);
    });

    it(`agree with \`validate\` on 400 mutated documents, but for what the page lists: ${collection}`, () => {
      const random = createRandom(36);
      const pick = <Item>(items: readonly Item[]): Item =>
        items[Math.floor(random() * items.length)] as Item; // there is one
      let refused = 0;
      for (let done = 0; done < 400; done += 1) {
        const document = pick(documents[collection]);
        const path = pick(pathsIn(document));
        const mutated = JSON.parse(JSON.stringify(withMember(document, path, pick(replacements))));
        const isAccepted = schemas[collection](mutated);
        const issues = issuesOf(collection, mutated);
        const others = issues.filter(
          ({ message }) => !beyondSchemas.some((known) => known.test(message)),
        );
        if (isAccepted)
          expect(others, `${path} ${JSON.stringify(mutated).slice(0, 500)}`).to.deep.equal([]);
        else {
          refused += 1;
          expect(issues, `${path}: ${JSON.stringify(schemas[collection].errors)}`).to.not.be.empty;
        }
        if (issues.length === 0) {
          const read = parse[collection](toStored(mutated));
          expect(read, `a gateway reads it whole: ${path}`).to.have.property('model');
          expect(read).to.not.have.property('leftOut');
        }
      }
      expect(refused).to.be.within(100, 390);
    });
  }

  const [artist] = artists.filter(({ id }) => id === 'art_7rf1ly');
  const [song] = z.array(z.looseObject({})).parse(artist?.['songs']);
  const point = (day: string) => ({ date: `2026-08-${day}`, value: 1 });
  const onlyValidated: readonly (readonly [string, Collection, object, path: string])[] = [
    [
      'days out of order',
      'history',
      { ...history[0], points: ['21', '20'].map(point) },
      'points.1.date',
    ],
    ['a day twice', 'history', { ...history[0], points: ['21', '21'].map(point) }, 'points.1.date'],
    ['a song twice', 'artists', { ...artist, songs: [song, song] }, 'songs.1.id'],
    [
      'an address with a port that is none',
      'artists',
      { ...artist, photo_url: 'https://host:99999' },
      'photo_url',
    ],
    ['a member that begins with $', 'artists', { ...artist, crm: [{ $set: 1 }] }, 'crm.0.$set'],
    ['a label of signs', 'labels', { name: '!!!', aliases: ['?'] }, 'name'],
    ['half a character', 'artists', { ...artist, name: '\ud800' }, 'name'],
  ];
  for (const [what, collection, document, path] of onlyValidated) {
    it(`leave ${what} to \`validate\``, () => {
      expect(schemas[collection](document)).to.equal(true);
      const issues = issuesOf(collection, document);
      expect(issues.map((issue) => issue.path)).to.deep.equal([path]);
      expect(beyondSchemas.filter((known) => known.test(issues[0]?.message ?? ''))).to.have.length(
        1,
      );
    });
  }
});

describe('docs/importing.md', () => {
  const folder = useInputFolder();

  it('has an example that `validate` and the schemas accept, with every member that there is', async () => {
    const files = [...page.matchAll(/^`(\w+\.(?:json|ndjson))`.*\n\n```json\n([^`]+)```/gm)];
    for (const [, name = '', text = ''] of files) await folder.writeText(name, text);
    const { total, valid } = await validateHere([folder.path]);
    expect({ total, ...valid }).to.deep.equal({ total: 0, artists: 1, series: 2, labels: 1 });
    for (const [, name = '', text = ''] of files) {
      const collection = collections.find((one) => name.startsWith(one)) ?? 'labels';
      const parsed: unknown[] = name.endsWith('.json')
        ? JSON.parse(text)
        : text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
      for (const document of parsed) expect(schemas[collection](document), name).to.equal(true);
      const paths = parsed
        .flatMap((document) => pathsIn(document))
        .filter((path) => !/\.\d+$/.test(path));
      const members = new Set(paths.map((path) => path.replaceAll(/\.\d+/g, '[]')));
      expect([...members].sort(), name).to.deep.equal(
        [...membersOf(documentSchema(collection)).keys()].sort(),
      );
    }
  });

  const schemaPart = z.looseObject({
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    items: z.unknown().optional(),
    anyOf: z.array(z.unknown()).optional(),
  });

  /** The members that a schema knows, by path, and whether each is required. */
  const membersOf = (schema: unknown, path = ''): Map<string, boolean> => {
    const { properties = {}, required = [], items, anyOf = [] } = schemaPart.parse(schema);
    const found = new Map<string, boolean>();
    for (const [name, member] of Object.entries(properties)) {
      const at = path === '' ? name : `${path}.${name}`;
      found.set(at, required.includes(name));
      for (const one of membersOf(member, at)) found.set(...one);
    }
    const inside = [
      ...(items === undefined ? [] : [membersOf(items, `${path}[]`)]),
      ...anyOf.map((one) => membersOf(one, path)),
    ];
    for (const members of inside)
      for (const one of members) if (!found.has(one[0])) found.set(...one);
    return found;
  };
});
