import { expect } from 'chai';
import fc from 'fast-check';
import { findCollectionFiles } from '../../adapters/stores/documents/collection-files.ts';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { createFileReader, hasCollection } from '../../adapters/stores/embedded/files.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { rejectionOf } from '../support/wait.ts';

/** The lines and columns of the documents of a file, its errors with their lines, and the values. */
const parse = (file: string, text: string) => {
  const { documents, errors } = parseDocumentFile(Buffer.from(text), file);
  return {
    at: documents.map(({ position: { line, column } }) => `${line} ${column}`),
    errors: errors.map(({ line, message }) => `${line} ${message}`),
    values: documents.map(({ value }) => value),
  };
};

describe('documents in an array', () => {
  it('have the lines on which they begin, for elements of any type', () => {
    const anyValues = fc.array(fc.jsonValue(), { maxLength: 8 });
    const property = fc.property(anyValues, fc.integer({ min: 1, max: 3 }), (values, indent) => {
      let line = 2; // after the opening bracket
      const expected = values.map((value) => {
        const begins = line;
        line += JSON.stringify(value, null, indent).split('\n').length;
        return begins;
      });
      const { at } = parse('artists.json', JSON.stringify(values, null, indent));
      expect(at.map((place) => Number.parseInt(place, 10))).to.deep.equal(expected);
    });
    fc.assert(property);
  });

  it('are accepted if and only if JSON.parse finds an array', () => {
    const anyArray = fc.array(fc.jsonValue(), { maxLength: 4 });
    const anyPiece = fc.constantFrom('', ...',[]{}"\\ \n1\u00a0\ufeff');
    const anyText = fc
      .tuple(anyArray, fc.nat(), fc.nat(3), anyPiece)
      .map(([values, at, cut, piece]) => {
        const text = JSON.stringify(values, null, 1);
        const start = at % (text.length + 1);
        return text.slice(0, start) + piece + text.slice(start + cut);
      });
    const property = fc.property(anyText, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text.replace(/^\ufeff/, ''));
      } catch {}
      const { values, errors } = parse('artists.json', text);
      expect(errors.length === 0, text).to.equal(Array.isArray(expected));
      if (errors.length === 0) expect(values).to.deep.equal(expected);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  for (const [text, ...positions] of [
    ['[{"a": "]\\"\\n"}, [1,\n2], 3,\n\n 4 ]\n', '1 2', '1 18', '2 5', '4 2'],
    [' [ ] '],
  ] as const)
    it(`have line and column in bytes: ${JSON.stringify(text)}`, () => {
      const { at, errors } = parse('artists.json', text);
      expect([at, errors]).to.deep.equal([positions, []]);
    });
});

const several =
  'is a document over several lines: this file has one a line, make it so with jq -c (for an array jq -c ".[]")';
const commas =
  'ends in a comma: this file has one document a line and nothing between them, make it so with sed -E "s/,[[:space:]]*$//"';
const mark =
  'is not JSON: a byte order mark (U+FEFF) stands inside, where files were joined: remove it';
const notFinite = 'has NaN or Infinity: leave the member out';
const empty =
  'is empty, as the file of a program that failed: write an empty collection as one line end, or as [] into a .json file';
const noArray = (advice: string): string =>
  `1 is no JSON array of documents: ${advice}, or end its name in .ndjson if it holds a document a line`;

/** Files, the number of documents that are read, and the errors with their lines. */
const files: readonly (readonly [
  file: '.ndjson' | '.json' | '.jsonl',
  text: string,
  documents: number,
  ...errors: string[],
])[] = [
  ['.ndjson', '{\n  "a": 1,\n  "b": {}\n}\n{\n  "a": 2\n}\n', 0, `1 ${several}`],
  ['.ndjson', '{"a": 0}\n\n [ \n  1\n]\n', 1, `3 ${several}`],
  ['.ndjson', '[\n{"a": 1},\n{"a": 2}\n]\n', 0, `1 ${several}`],
  ['.jsonl', '[{"a": 1},\n{"a": 2}]', 0, `1 ${several}`],
  ['.ndjson', '{"a": 0}\n{"a": 1},\r\n{"a": 2},', 1, `2 ${commas}`],
  ['.ndjson', '{"a": 1}, \n', 0, `1 ${commas}`],
  ['.ndjson', '{"a": 1,\r"b": 2\r}\r\n', 1],
  ['.ndjson', '{"a": 1}\n{"a": ', 1, '2 is not JSON: Unexpected end of JSON input'],
  ['.ndjson', '{"a": NaN}\n{"a": [-Infinity]}\n', 0, `1 ${notFinite}`, `2 ${notFinite}`],
  ['.ndjson', '\ufeff{"a": 1}\n\ufeff{"a": 2}\n\ufeff\n', 2],
  ['.ndjson', '{\ufeff"a": 1}\n{"a": 2}\n', 1, `1 ${mark}`],
  ['.ndjson', '{"a": "\ufeff"}\n', 1],
  ['.json', '[{"a": 1},\n\ufeff{"a": 2}]', 1, `2 ${mark}`],
  ['.json', '\n\ufeff[]', 0, `2 ${mark}`],
  ['.json', '{"data": [{}]}', 0, noArray('take out the array in its member data with jq .data')],
  [
    '.json',
    '{ "labels" : [{}]}',
    0,
    noArray('take out the array in its member labels with jq .labels'),
  ],
  ['.json', '{"aliases": ["TMR"], "name": "Tidemark"}', 0, noArray('make one with jq -s .')],
  ['.json', '{}', 0, noArray('make one with jq -s .')],
  ...(['.ndjson', '.jsonl', '.json'] as const).map((file) => [file, '', 0, `1 ${empty}`] as const),
  ['.ndjson', `${' '.repeat(1_000)}\n\r\n{}`, 1],
  ['.ndjson', '\n', 0],
  ['.jsonl', ' \r\n\n', 0],
  ['.json', '[]', 0],
];

describe('a file of documents', () => {
  for (const [extension, text, documents, ...errors] of files)
    it(`${errors.length === 0 ? 'is accepted' : 'lists errors'}: ${extension} ${JSON.stringify(text)}`, () => {
      const found = parse(`labels${extension}`, text);
      expect(found.errors).to.deep.equal(errors);
      expect(found.values).to.have.length(documents);
    });

  it('has a lone surrogate as U+FFFD, and a pair as its character', () => {
    const { values } = parse('artists.ndjson', '{"name": "a\\ud83d b\\ud83c\\udf89"}');
    expect(values).to.deep.equal([{ name: 'a\ufffd b\u{1f389}' }]);
  });

  it('is read without a line that is not JSON, which is an error', () => {
    const { values, at, errors } = parse('history.ndjson', '\ufeff{"a": 1}\r\n\n{"a":}\n[2]');
    expect([values, at]).to.deep.equal([
      [{ a: 1 }, [2]],
      ['1 1', '4 1'],
    ]);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.match(/^3 is not JSON: /);
    const cut = parse('history.ndjson', '{"a": {},\n{"a": 2}\n');
    expect(cut.errors[0], 'cut after a comma').to.match(/^1 is not JSON: /);
  });
});

describe('the files of a collection', () => {
  const whole = 'artists.json';
  const others = [
    ...['artists.bak.json', 'artists.csv', 'Artists.json', 'artists_2026.json'],
    ...['artists-1.bak.json', 'artists-1 (copy).json', 'artists.json~'],
  ];
  const inOrder = ['history-1.json', 'history-2.jsonl', 'history-2026-08.ndjson'];
  const cases: readonly (readonly [
    what: string,
    collection: string,
    names: readonly string[],
    read: readonly string[],
    unread?: readonly string[],
  ])[] = [
    ['are its own file', 'artists', [whole, 'artists-a.json'], [whole], ['artists-a.json']],
    ['are its parts in order', 'history', [...inOrder.toReversed(), whole], inOrder],
    [
      'are one file of keys',
      'api_keys',
      ['api_keys-a.json', 'api_keys.json'],
      ['api_keys.json'],
      ['api_keys-a.json'],
    ],
    [
      'include no part of organizations',
      'organizations',
      ['organizations-2.json'],
      [],
      ['organizations-2.json'],
    ],
    ['include no other name', 'artists', [whole, ...others, 'xartists.json'], [whole], others],
    ['conflict with two extensions of a part', 'history', ['history-1.ndjson', ...inOrder], []],
  ];
  for (const [what, collection, names, read, unread = []] of cases)
    it(what, () => {
      const found = findCollectionFiles(collection, names);
      expect(found.read).to.deep.equal(read);
      expect(found.unread.map(({ name }) => name)).to.deep.equal(unread);
      expect(found.conflict !== undefined).to.equal(what.startsWith('conflict'));
    });
});

describe('a file of an embedded store', () => {
  const folder = useInputFolder(true);
  const read = (collection: string) => createFileReader(folder.path, collection)();

  it('is reported missing with similar names, and not replaced by demo keys', async () => {
    await folder.writeText('api_keys-old.json', '[]');
    expect(await rejectionOf(read('api_keys'))).to.match(
      /api_keys\.json: there is no such file .+; api_keys-old\.json is not read: api_keys is never split$/,
    );
    expect(await hasCollection(folder.path, 'api_keys')).to.equal(true);
  });

  it('is rejected without a part of the key in it', async () => {
    for (const text of [
      '{"demo_key":Zq7Zq7Zq7Zq7""}',
      'Zq7Zq7Zq7Zq7',
      '{"demo_key":\n"Zq7Zq7" Zq7}',
      '{"a":\nZq7Zq7}',
    ]) {
      await folder.writeText('api_keys.json', `[${text}]`);
      expect(await rejectionOf(read('api_keys')))
        .to.match(/ line 1 column 2: document: is not JSON: (Unexpected token 'Z'|Expected )/)
        .and.not.match(/Zq7|q7Z|7Zq/);
    }
  });
});
