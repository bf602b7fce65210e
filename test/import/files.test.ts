import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { findCollectionFiles } from '../../adapters/stores/documents/collection-files.ts';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { createFileReader, hasCollection } from '../../adapters/stores/embedded/files.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';

const parse = (text: string, file: string) => parseDocumentFile(Buffer.from(text), file);
const linesIn = (text: string): number[] =>
  parse(text, 'artists.json').documents.map(({ position }) => position.line);

describe('positions in a file of documents', () => {
  it('are the lines on which the elements of an indented array begin, for elements of any type', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        (values, indent) => {
          const text = JSON.stringify(values, null, indent);
          let line = 2; // after the opening bracket
          const expected = values.map((value) => {
            const begins = line;
            line += JSON.stringify(value, null, indent).split('\n').length;
            return begins;
          });
          expect(linesIn(text)).to.deep.equal(expected);
        },
      ),
    );
  });

  it('are those of the elements that JSON.parse finds, and what it refuses is an error, however a text is cut or mixed', () => {
    const texts = fc.tuple(
      fc.array(fc.jsonValue(), { maxLength: 4 }).map((values) => JSON.stringify(values, null, 1)),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom(
        '',
        '',
        ',',
        '[',
        ']',
        '{',
        '}',
        '"',
        '\\',
        ' ',
        '\n',
        '1',
        '\u00a0',
        '\ufeff',
      ),
    );
    const anyText = texts.map(([text, at, cut, more]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + more + text.slice(start + cut);
    });
    fc.assert(
      fc.property(anyText, (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text.replace(/^\ufeff/, ''));
        } catch {}
        const { documents, errors } = parse(text, 'artists.json');
        expect(errors.length === 0, text).to.equal(Array.isArray(expected));
        if (errors.length === 0)
          expect(documents.map(({ value }) => value)).to.deep.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [what, text, positions] of [
    [
      'several elements on one line',
      '[{"a": "]\\"\\n"}, [1,\n2], 3,\n\n 4 ]\n',
      ['1 2', '1 18', '2 5', '4 2'],
    ],
    ['elements of elements', '[{"a": [{}]}, {}, []]', ['1 2', '1 15', '1 19']],
    ['elements on lines that are indented', '[\n {},\n\n   [], 1]', ['2 2', '4 4', '4 8']],
    ['an empty array', ' [ ] ', []],
  ] as const)
    it(`are line and column in bytes: ${what}`, () => {
      const { documents } = parse(text, 'artists.json');
      expect(documents.map(({ position }) => `${position.line} ${position.column}`)).to.deep.equal(
        positions,
      );
    });

  it('are the lines of an .ndjson file; a line that is not JSON is an error and the others remain', () => {
    const { documents, errors } = parse('\ufeff{"a": 1}\r\n\n{"a":}\n[2]', 'history.ndjson');
    expect(documents.map(({ value, position }) => [value, position.line])).to.deep.equal([
      [{ a: 1 }, 1],
      [[2], 4],
    ]);
    expect(errors.map(({ line, path }) => [line, path])).to.deep.equal([[3, 'document']]);
    expect(errors[0]?.message).to.match(/^is not JSON: /);
    const cut = parse('{"a": {},\n{"a": 2}\n', 'history.ndjson');
    expect(cut.errors[0]?.message, 'cut behind a comma').to.match(/^is not JSON: /);
  });

  const several =
    'is a document over several lines: this file has one a line, make it so with jq -c (for an array jq -c ".[]")';
  const commas =
    'ends in a comma: this file has one document a line and nothing between them, make it so with sed -E "s/,[[:space:]]*$//"';
  const returns = 'is several lines that end in CR alone: make them end in LF with tr "\\r" "\\n"';
  const mark =
    'is not JSON: a byte order mark (U+FEFF) stands inside, where files were joined: remove it';
  const noArray = (advice: string): string =>
    `1 is no JSON array of documents: ${advice}, or end its name in .ndjson if it holds a document a line`;
  const wholes: readonly (readonly [
    what: string,
    text: string,
    file: string,
    documents: number,
    errors: readonly string[],
  ])[] = [
    [
      'two pretty documents in .ndjson',
      '{\n  "a": 1,\n  "b": {}\n}\n{\n  "a": 2\n}\n',
      'history.ndjson',
      0,
      [`1 ${several}`],
    ],
    [
      'a pretty array in .ndjson, behind a document of a line',
      '{"a": 0}\n\n [ \n  1\n]\n',
      'history.ndjson',
      1,
      [`3 ${several}`],
    ],
    [
      'an array with an element a line in .ndjson',
      '[\n{"a": 1},\n{"a": 2}\n]\n',
      'history.ndjson',
      0,
      [`1 ${several}`],
    ],
    [
      'one that begins in its first line',
      '[{"a": 1},\n{"a": 2}]',
      'artists.jsonl',
      0,
      [`1 ${several}`],
    ],
    [
      'lines that end in a comma',
      '{"a": 0}\n{"a": 1},\r\n{"a": 2},',
      'history.ndjson',
      1,
      [`2 ${commas}`],
    ],
    ['a last line that ends in a comma', '{"a": 1}, \n', 'history.ndjson', 0, [`1 ${commas}`]],
    ['lines that end in CR alone', '{"a": 1}\r{"a": 2}\r', 'history.ndjson', 0, [`1 ${returns}`]],
    ['CR between members and CR LF at the end', '{"a": 1,\r"b": 2\r}\r\n', 'history.ndjson', 1, []],
    [
      'an object around the array of a .json file',
      '{ "artists" : [{}]}',
      'artists.json',
      0,
      [noArray('take out the array in its member artists with jq .artists')],
    ],
    [
      'an object around the array of a .json file, in a member of any name',
      '{"data": [{}]}',
      'labels.json',
      0,
      [noArray('take out the array in its member data with jq .data')],
    ],
    [
      'an object around the array of another .json file',
      '{"labels": [{}]}',
      'labels.json',
      0,
      [noArray('take out the array in its member labels with jq .labels')],
    ],
    [
      'a document in place of the array of a .json file, of which an array is the first member',
      '{"aliases": ["TMR"], "name": "Tidemark"}',
      'labels.json',
      0,
      [noArray('make one with jq -s .')],
    ],
    [
      'a line that is cut at the end of its file',
      '{"a": 1}\n{"a": ',
      'history.ndjson',
      1,
      ['2 is not JSON: Unexpected end of JSON input'],
    ],
    [
      'a number that is not finite',
      '{"a": NaN}\n{"a": [-Infinity]}\n',
      'history.ndjson',
      0,
      [
        '1 has NaN or Infinity: leave the member out',
        '2 has NaN or Infinity: leave the member out',
      ],
    ],
    [
      'a byte order mark at the start of any line',
      '\ufeff{"a": 1}\n\ufeff{"a": 2}\n\ufeff\n',
      'history.ndjson',
      2,
      [],
    ],
    ['one between members', '{\ufeff"a": 1}\n{"a": 2}\n', 'history.ndjson', 1, [`1 ${mark}`]],
    ['one in a text', '{"a": "\ufeff"}\n', 'history.ndjson', 1, []],
    ['one before an element', '[{"a": 1},\n\ufeff{"a": 2}]', 'labels.json', 1, [`2 ${mark}`]],
    ['one before an array, behind a line end', '\n\ufeff[]', 'labels.json', 0, [`2 ${mark}`]],
  ];
  for (const [what, text, file, count, expected] of wholes)
    it(`are told in one line each: ${what}`, () => {
      const { documents, errors } = parse(text, file);
      expect(errors.map(({ line, message }) => `${line} ${message}`)).to.deep.equal(expected);
      expect(documents).to.have.length(count);
    });

  it('has an error when it has no byte, and none when it is an empty collection', () => {
    for (const file of ['labels.ndjson', 'labels.jsonl', 'labels.json']) {
      const { documents, errors } = parse('', file);
      expect(documents).to.deep.equal([]);
      expect(errors.map(({ line, message }) => `${line} ${message}`)).to.deep.equal([
        '1 is empty, as the file of a program that failed: write an empty collection as one line end, or as [] into a .json file',
      ]);
    }
    for (const [text, file] of [
      ['\n', 'labels.ndjson'],
      [' \r\n\n', 'labels.jsonl'],
      ['[]', 'labels.json'],
    ] as const)
      expect(parse(text, file)).to.deep.equal({ documents: [], errors: [] });
  });

  it('has no documents and one error when a .json file holds no array', () => {
    expect(parse('{}', 'labels.json')).to.deep.equal({
      documents: [],
      errors: [
        {
          file: 'labels.json',
          line: 1,
          column: 1,
          path: 'document',
          message:
            'is no JSON array of documents: make one with jq -s ., or end its name in .ndjson if it holds a document a line',
        },
      ],
    });
  });
});

describe('the files of a collection', () => {
  const one = ['artists.json'];
  const cases: readonly (readonly [
    what: string,
    collection: string,
    names: readonly string[],
    read: readonly string[],
    unread: readonly string[],
  ])[] = [
    [
      'is its own file alone',
      'artists',
      ['artists.json', 'artists-old.json'],
      one,
      ['artists-old.json'],
    ],
    [
      'are its parts where there is none, in the order of their names',
      'history',
      ['history-2.jsonl', 'history-2026-08.ndjson', 'history-1.json', 'artists.json'],
      ['history-1.json', 'history-2.jsonl', 'history-2026-08.ndjson'],
      [],
    ],
    [
      'is no copy of keys',
      'api_keys',
      ['api_keys-old.json', 'api_keys.json'],
      ['api_keys.json'],
      ['api_keys-old.json'],
    ],
    ['is no part of keys', 'api_keys', ['api_keys-a.json'], [], ['api_keys-a.json']],
    [
      'is no part of organizations',
      'organizations',
      ['organizations-2.json'],
      [],
      ['organizations-2.json'],
    ],
    [
      'is nothing else that begins so',
      'artists',
      [
        ...one,
        'artists.bak.json',
        'artists.csv',
        'Artists.json',
        'artists_2026.json',
        'artists-1.bak.json',
        'artists-1 (copy).json',
        'artists.json~',
        'xartists.json',
      ],
      one,
      [
        'artists.bak.json',
        'artists.csv',
        'Artists.json',
        'artists_2026.json',
        'artists-1.bak.json',
        'artists-1 (copy).json',
        'artists.json~',
      ],
    ],
    ['is neither of two endings', 'labels', ['labels.json', 'labels.ndjson'], [], []],
    [
      'is neither of two endings of a part, nor another part',
      'history',
      ['history-1.json', 'history-1.jsonl', 'history-2.json'],
      [],
      [],
    ],
  ];
  for (const [what, collection, names, read, unread] of cases)
    it(what, () => {
      const found = findCollectionFiles(collection, names);
      expect(found.read).to.deep.equal(read);
      expect(found.unread.map(({ name }) => name)).to.deep.equal(unread);
      expect(found.conflict !== undefined).to.equal(/two endings/.test(what));
    });
});

describe('a file of an embedded store', () => {
  const folder = useInputFolder(true);

  it('is neither of two endings of one name: the last copy is kept, until one of them is removed', async () => {
    const read = createFileReader(folder.path, 'artists');
    const path = await folder.writeText('artists.json', '[{"a": 1}]');
    expect((await read()).documents).to.have.length(1);
    await folder.writeText('artists.ndjson', '{"a": 2}\n{"a": 3}\n');
    const error = await read().catch(({ message }: Error) => message);
    expect(error).to.equal(
      `${folder.path}: there are artists.json and artists.ndjson: neither is read, remove one of them`,
    );
    await rm(path);
    expect((await read()).documents).to.have.length(2);
  });

  it('is not read when it changes while it is read', async () => {
    const path = await folder.writeText('artists.ndjson', '{"a": 1}\n'.repeat(200_000));
    const reading = createFileReader(folder.path, 'artists')().catch(
      ({ message }: Error) => message,
    );
    await folder.writeText('artists.ndjson', '{"a": 1}\n'.repeat(100));
    const found = await reading;
    // it was read before the change or after it, or it is told: the change empties the file first
    if (typeof found === 'string') expect(found).to.match(/changed while it was read|is empty/);
    else expect(found.documents.length).to.be.oneOf([200_000, 100]);
    expect(path).to.be.a('string');
  });

  it('is missed with the names that begin like it', async () => {
    await folder.writeText('api_keys-old.json', '[]');
    const error = await createFileReader(folder.path, 'api_keys')().catch(
      ({ message }: Error) => message,
    );
    expect(error).to.match(
      /api_keys\.json: there is no such file .+; api_keys-old\.json is not read: api_keys is never split$/,
    );
    expect(await hasCollection(folder.path, 'api_keys'), 'no demo keys in its place').to.equal(
      true,
    );
  });

  it('is rejected with file, line and reason when it is not JSON', async () => {
    const file = await folder.writeText('artists.ndjson', '{}\n{"id":\n');
    const error = await createFileReader(folder.path, 'artists')().catch(
      ({ message }: Error) => message,
    );
    expect(error).to.match(/ line 2 column 1: document: is not JSON: /);
    expect(error).to.satisfy((message: string) => message.startsWith(file));
  });

  it('is rejected without a part of the key that is in it', async () => {
    for (const text of [
      '{"demo_key":Zq7Zq7Zq7Zq7""}',
      'Zq7Zq7Zq7Zq7',
      '{"demo_key":\n"Zq7Zq7" Zq7}',
      '{"a":\nZq7Zq7}',
    ]) {
      await folder.writeText('api_keys.json', `[${text}]`);
      const error = await createFileReader(folder.path, 'api_keys')().catch(
        ({ message }: Error) => message,
      );
      expect(error).to.match(
        / line 1 column 2: document: is not JSON: (Unexpected token 'Z'|Expected )/,
      );
      expect(error).not.to.match(/Zq7|q7Z|7Zq/);
    }
  });
});
