import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { findCollectionFiles } from '../../adapters/stores/documents/collection-files.ts';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createFileReader, hasCollection } from '../../adapters/stores/embedded/files.ts';
import { validateHere } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectUsageError } from '../support/cli/operator-environment.ts';
import { run, runWarm } from '../support/cli/run.ts';
import { createManualClock } from '../support/clock.ts';
import { countTurns, rejectionOf } from '../support/wait.ts';

const [artist = {}] = artistDocuments(1);
const [series = {}] = seriesDocuments(1);

describe('the input of an import', () => {
  const folder = useInputFolder(true);
  const at = (name: string) => join(folder.path, name);
  const validate = (...paths: string[]) => runWarm({}, ['catalogue', 'validate', ...paths]);
  const refusal = (...paths: string[]) =>
    rejectionOf(validateHere(paths.length === 0 ? [folder.path] : paths));

  const notText = /: is not UTF-8 text, but UTF-16, compressed or binary\. Write it as JSON in UTF/;
  for (const [what, bytes] of [
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(artist)}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(JSON.stringify(artist), 'utf16le')],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['another binary format', Buffer.from('SQLite format 3\0\u0010')],
  ] as const)
    it(`rejects ${what}`, async () => {
      await writeFile(at('artists.ndjson'), bytes);
      expect(await refusal()).to.match(notText);
    });

  it('rejects a folder, a named pipe, and a link to nothing or to itself', async () => {
    const path = at('artists.ndjson');
    await mkdir(path);
    expect(await refusal()).to.match(/artists\.ndjson: is not a regular file\.?$/);
    await rm(path, { recursive: true });
    execFileSync('mkfifo', [path]);
    expect(await refusal()).to.match(/artists\.ndjson: is not a regular file\.?$/);
    await rm(path);
    await symlink(at('nothing'), path);
    for (const named of [folder.path, path, join(path, 'artists.json')])
      expect(await refusal(named)).to.match(/\/artists\.\S+: no such file or folder\.?$/);
    await rm(path);
    await symlink(path, path);
    for (const named of [folder.path, path])
      expect(await refusal(named)).to.match(/artists\.ndjson: cannot be read \(ELOOP\)\.?$/);
  });

  it('rejects a file and a folder without the right to read it', async () => {
    const isRoot = process.geteuid?.() === 0; // may read everything, and becomes another user
    const refusalOfUser = () => {
      if (isRoot) process.seteuid?.(65_534);
      return refusal().finally(() => isRoot && process.seteuid?.(0));
    };
    await chmod(await folder.write('artists', [artist]), 0);
    await chmod(folder.path, 0o755);
    expect(await refusalOfUser()).to.match(/artists\.\w+: cannot be read \(EACCES\)\.?$/);
    await chmod(folder.path, 0o300);
    const reason = await refusalOfUser();
    await chmod(folder.path, 0o700); // it is removed after the test
    expect(reason).to.match(/: cannot be read \(EACCES\)\.?$/);
  });

  it('rejects more than 1 GB in one line, with what to do instead', async () => {
    for (const name of ['history-1.json', 'history-2.ndjson'])
      await truncate(await folder.writeText(name, ''), 2 ** 29);
    await folder.writeText('artists.json', '[]');
    expectUsageError(
      await validate(folder.path),
      /^The input has 1025 MB, and one run accepts 1024 MB\. Import artists first, then history in parts .+ without --prune\.$/,
    );
  });

  it('rejects two extensions of one name, even if both files are named', async () => {
    const first = await folder.writeText('history.json', '[]');
    const second = await folder.writeText('history.ndjson', '');
    for (const paths of [[folder.path], [first, second]])
      expect(await refusal(...paths)).to.match(
        /there are .*history\.json and .*history\.ndjson: neither is read, remove one of them\.?$/,
      );
  });

  it('stops reading an array of 8,000,000 elements after 10,000 errors, in little memory', async () => {
    const path = await folder.writeText('artists.json', `[${'{},'.repeat(8_000_000)}{}]`);
    const small = { NODE_OPTIONS: '--max-old-space-size=320' };
    const ran = await run(small, ['catalogue', 'validate', path, '--json']);
    expect(JSON.parse(ran.stdout).refused.length).to.be.within(10_000, 10_020);
    expect(ran.stderr).to.match(
      / errors in \d+ documents?, and the rest was not read: an import would write nothing\.\n$/,
    );
    expect(ran.code).to.equal(1);
  });

  it('reads 64 MB of documents in a heap of 48 MB, with progress', async () => {
    const line = JSON.stringify({ ...artist, _id: 'ID', id: 'ID', crm: 'x'.repeat(2 ** 16) });
    const lines = Array.from({ length: 1_024 }, (_, id) => line.replaceAll('ID', `${id}`));
    const path = await folder.writeText('artists.ndjson', lines.join('\n'));
    const small = { NODE_OPTIONS: '--max-old-space-size=48' };
    const { code, stderr } = await run(small, ['catalogue', 'validate', path]);
    expect(stderr)
      .to.match(/^Reading: \d+ of 64 MB\n/)
      .and.match(/Valid: 1024 artists, 0 series, 0 labels\.\n$/);
    expect(code).to.equal(0);
  });

  it('rejects an element nested a million deep, at the line of the element', async () => {
    const deep = `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    const { errors } = await validateHere([
      await folder.writeText('artists.json', `[\n {}, ${deep}]`),
    ]);
    expect(errors.at(-1)).to.include({
      ...{ line: 2, message: 'is nested deeper than 100 levels, which MongoDB does not store' },
    });
  });

  it('lets other work run between documents', async () => {
    await folder.writeText('artists.json', `[${'{},'.repeat(99)}{}]`);
    expect(await countTurns(() => validateHere([folder.path]))).to.be.at.least(100);
  });

  it('names the line, id, name and text of a document in Latin-1', async () => {
    const text = JSON.stringify({ ...artist, name: 'Björk' });
    await writeFile(at('artists.ndjson'), Buffer.from(text, 'latin1'));
    const { code, stdout } = await validate(folder.path);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /artists\.ndjson\t1\tart_0001\tBj\ufffdrk\tdocument\tis not UTF-8 \(near ".*Bj\ufffdrk.+ iconv -f cp1252 -t utf-8\n$/,
    );
  });

  it('lists all errors of a document, with its id and name', async () => {
    const { status, ...rest } = artist;
    const songs = [
      { id: 's', name: 'A', metrics: {} },
      { id: 's', name: '' },
    ];
    const path = await folder.write('artists', [{ ...rest, country_code: 'Indonesia', songs }]);
    const { errors, valid } = await validateHere([path]);
    const fields = ['country_code', 'status', 'songs.1.name', 'songs.1.metrics'];
    expect(errors.map(({ id, name, path: field }) => `${id}, ${name}: ${field}`)).to.have.members(
      fields.map((field) => `art_0001, Artist 0001: ${field}`),
    );
    expect(valid).to.deep.equal({ artists: 0, series: 0, labels: 0 });
  });

  it('warns of a field once for all documents, and of a file without documents', async () => {
    const artists = await folder.write('artists', artistDocuments(3, { countryCode: 'DE' }));
    const empty = await folder.writeText('history.ndjson', '\n');
    const { warnings, total } = await validateHere([artists, empty]);
    expect(total).to.equal(0);
    const found = warnings.map(({ file, id, path, message, documents }) =>
      [file, id, path, message, documents].join(' '),
    );
    expect(found).to.have.members([
      `${artists} art_0001 countryCode is not read; did you mean country_code? 3`,
      `${empty}  document has no document 0`,
    ]);
  });

  it('counts valid documents, and warns of a series of an unknown artist', async () => {
    const broken = { ...artist, id: 'other', _id: 'other', name: 7 };
    await folder.write('artists', [artist, artist, broken]);
    const ofOthers = ['b', 'c'].map((artist_id) => ({ ...series, artist_id }));
    const ofSong = { ...series, metric: 'streams', song_id: 'gone' };
    await folder.write('history', [series, ...ofOthers, series, ofSong]);
    const { errors, warnings, valid } = await validateHere([folder.path]);
    expect(valid).to.deep.equal({ artists: 1, series: 1, labels: 0 });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({
      ...{ line: 2, documents: 2 },
      message:
        'is of no valid artist in the input: an import refuses it unless that artist is stored',
    });
    expect(errors.map(({ line, path }) => `${line} ${path}`)).to.have.members([
      ...['2 id', '2 _id', '3 name', '4 metric', '5 song_id'],
    ]);
    expect(errors.at(-1)?.message).to.equal('the artist art_0001 has no song gone');
  });

  it('comes from the files that a gateway reads; both report ignored files', async () => {
    const [first, second, third = {}] = artistDocuments(3);
    await folder.writeText('artists-1.json', JSON.stringify([first]));
    await folder.writeText('artists-more.jsonl', JSON.stringify(second));
    await folder.write('artists-2026', [third]);
    await folder.writeText('labels.json', '[]');
    for (const [index, one] of seriesDocuments(3).entries())
      await folder.write(`history-${index}`, [one]);
    const ignored = ['Artists.JSON', 'artists.ndjson.gz', 'labels-old.ndjson', 'labels.txt'];
    for (const name of [...ignored, 'notes.md', 'api_keys-old.json'])
      await folder.writeText(name, 'x');
    const { code, stderr } = await validate(folder.path);
    expect(code).to.equal(0);
    expect(stderr).to.include('Valid: 3 artists, 6 series, 0 labels.');
    const source = createEmbeddedCatalogue({
      ...{ folder: folder.path, clock: createManualClock(), rebaseToToday: false },
    });
    const { artists, faults } = await source.load();
    const histories = artists.map(async (one) => (await source.read(one.artist)).series.length);
    expect(await Promise.all(histories)).to.deep.equal([2, 2, 2]);
    const named = faults.flatMap(({ event, document }) =>
      event === 'file ignored' ? document : [],
    );
    expect(named).to.have.members(ignored.map(at));
    for (const name of [...ignored, 'api_keys-old.json'])
      expect(stderr).to.include(`${at(name)}: not read: `);
  });
});

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
