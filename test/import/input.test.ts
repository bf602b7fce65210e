import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
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
