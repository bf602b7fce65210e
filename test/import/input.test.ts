import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import { buildKey } from '../support/builders.ts';
import { validateHere } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectUsageError } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';

const validate = (...paths: string[]) => runWarm({}, ['catalogue', 'validate', ...paths]);
const [artist = {}] = artistDocuments(1);
const [series = {}] = seriesDocuments(1);

/** A document nested this deep. */
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('the input of an import', () => {
  const folder = useInputFolder(true);

  const check = async (name: string, document: Document) =>
    validateHere([await folder.write(name, [document])]);

  describe('is refused with one line', () => {
    const notText =
      /: is not UTF-8 text, but UTF-16, compressed or binary\. Write it as JSON in UTF-8\.$/;
    for (const [what, bytes] of [
      ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(artist)}`, 'utf16le')],
      ['UTF-16 without a byte order mark', Buffer.from(JSON.stringify(artist), 'utf16le')],
      ['gzip', Buffer.from([0x1f, 0x8b, 8, 0])],
      ['another binary format', Buffer.from('SQLite format 3\0\u0010')],
    ] as const)
      it(`when it is ${what}`, async () => {
        await writeFile(join(folder.path, 'artists.ndjson'), bytes);
        expectUsageError(await validate(folder.path), notText);
      });

    it('when it is a folder in a folder, a FIFO, or a link to nothing', async () => {
      const path = join(folder.path, 'artists.ndjson');
      await mkdir(path);
      expectUsageError(await validate(folder.path), /artists\.ndjson: is not a regular file\.$/);
      await rm(path, { recursive: true });
      execFileSync('mkfifo', [path]);
      expectUsageError(await validate(folder.path), /artists\.ndjson: is not a regular file\.$/);
      await rm(path);
      await symlink(join(folder.path, 'nothing'), path);
      for (const named of [folder.path, path, join(path, 'artists.json')])
        expectUsageError(await validate(named), /\/artists\.\S+: no such file or folder\.$/);
    });

    it('when the file system cannot read it, with the reason', async () => {
      const path = join(folder.path, 'artists.ndjson');
      await symlink(path, path);
      for (const named of [folder.path, path])
        expectUsageError(await validate(named), /artists\.ndjson: cannot be read \(ELOOP\)\.$/);
      if (process.getuid?.() === 0) return; // who may read everything
      await rm(path);
      await chmod(await folder.write('artists', [artist]), 0);
      expectUsageError(await validate(folder.path), /artists\.\w+: cannot be read \(EACCES\)\.$/);
      await chmod(folder.path, 0o300);
      const ran = await validate(folder.path);
      await chmod(folder.path, 0o700); // it is removed after the test
      expectUsageError(ran, /: cannot be read \(EACCES\)\.$/);
    });

    it('when all its files have more than 1 GB, with what to do instead', async () => {
      for (const name of ['history-1.json', 'history-2.ndjson'])
        await truncate(await folder.writeText(name, ''), 2 ** 29);
      await folder.writeText('artists.json', '[]');
      expectUsageError(
        await validate(folder.path),
        /^The input has 1025 MB, and one run accepts 1024 MB\. Import artists first, then history in parts .+ without --prune\.$/,
      );
    });
  });

  describe('that would take all memory', () => {
    const small = { NODE_OPTIONS: '--max-old-space-size=320' };

    it('is an array of 8,000,000 elements, which is not read further after 10,000 errors', async () => {
      const path = await folder.writeText('artists.json', `[${'{},'.repeat(8_000_000)}{}]`);
      const { code, stdout, stderr } = await runWarm(small, [
        ...['catalogue', 'validate', path, '--json'],
      ]);
      expect(JSON.parse(stdout).refused.length).to.be.within(10_000, 10_020);
      expect(stderr).to.match(
        / errors in \d+ documents?, and the rest was not read: an import would write nothing\.\n$/,
      );
      expect(code).to.equal(1);
    });

    it('is refused as an array whose element is nested a million deep, at the place of the element', async () => {
      const deep = `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
      const path = await folder.writeText('artists.json', `[\n {}, ${deep}]`);
      const { code, stdout } = await validate(path);
      expect(stdout).to.match(
        /artists\.json\t2\t\t\ta(?:\.0)*\tis nested deeper than 100 levels, which MongoDB does not store\n$/,
      );
      expect(code).to.equal(1);
    });

    it('lets other work go on between its documents', async () => {
      await folder.writeText('artists.json', `[${'{},'.repeat(9_999)}{}]`);
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      });
      await validateHere([folder.path]);
      clearInterval(timer);
      expect(turns).to.be.at.least(3);
    });
  });

  it('is refused where it is Latin-1: the line, id and text are named', async () => {
    const path = join(folder.path, 'artists.ndjson');
    await writeFile(path, Buffer.from(JSON.stringify({ ...artist, name: 'Björk' }), 'latin1'));
    const { code, stdout } = await validate(path);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /artists\.ndjson\t1\tart_0001\tBj\ufffdrk\tdocument\tis not UTF-8 \(near ".*Bj\ufffdrk.+ iconv -f cp1252 -t utf-8\n$/,
    );
  });

  it('is refused with all its errors at once, in words', async () => {
    const { status, ...rest } = artist;
    const { errors, valid } = await check('artists', {
      ...rest,
      country_code: 'Indonesia',
      metrics: { monthly_listeners: -1, social_score: '7' },
      links: { spotify: 'ftp://x' },
      date_added: '9999-12-31',
      updated_at: '1826-08-22T00:00:00Z',
      songs: [
        { id: 's', name: 'A', metrics: {} },
        { id: 's', name: '' },
      ],
    });
    expect(
      errors.map(({ id, name, path, message }) => `${id}, ${name}: ${path}: ${message}`),
    ).to.have.members(
      [
        'country_code: "Indonesia"; expected two letters',
        'date_added: "9999-12-31"; expected a day from 2000 to 2099, such as "2026-08-22"',
        'status: missing; expected an object of true or false by name (active, verified, shortlisted, claimed); {} when none is known',
        'links.spotify: "ftp://x"; expected an address that begins with https:// or http://',
        'metrics.monthly_listeners: -1; expected a number from 0 to 2^53',
        'metrics.social_score: "7"; expected a number from 0 to 2^53',
        'songs.1.name: ""; expected a text',
        'songs.1.metrics: missing; expected an object of numbers by name (streams, ugc_tiktok, ugc_instagram); {} when none is known',
        'updated_at: "1826-08-22T00:00:00Z"; expected an instant from 2000 to 2099, such as "2026-08-22T11:00:00Z"',
      ].map((issue) => `art_0001, Artist 0001: ${issue}`),
    );
    expect(valid).to.deep.equal({ artists: 0, series: 0, labels: 0 });
  });

  const refused: readonly (readonly [string, string, Document, string])[] = [
    [
      'a member nested too deep',
      'artists',
      { ...artist, crm: nested(101) },
      `crm.${'a.'.repeat(98)}a: is nested `,
    ],
    [
      'the text of a key',
      'artists',
      { ...artist, crm: `see ${buildKey({ id: 'abc' }).text}` },
      'crm: contains the text of key abc',
    ],
    [
      'too many elements in a member that the format does not know',
      'artists',
      { ...artist, crm: [Array(60_000).fill(1), Array(40_001).fill(1)] },
      'crm.1: has too many elements',
    ],
  ];
  for (const [what, name, document, message] of refused) {
    it(`is refused with ${what}`, async () => {
      const { errors, total } = await check(name, document);
      expect(total).to.equal(1);
      expect(errors.map((error) => `${error.path}: ${error.message}`)[0]).to.satisfy(
        (found: string) => found.startsWith(message),
      );
    });
  }

  it('is warned where a member is a letter from a known one, once for all documents', async () => {
    const documents = artistDocuments(3, {
      metrics: { monthly_listener: 1 },
      countryCode: 'DE',
      songs: [{ id: 's', name: 'Song', metrics: {}, rights: { pline: '℗' } }],
      crm: { nmae: 'x' },
    });
    const { warnings, total } = await validateHere([await folder.write('artists', documents)]);
    expect(total).to.equal(0);
    expect(
      warnings.map(
        ({ line, id, path, message, documents: count }) =>
          `${line} ${id} ${path} ${message} ${count}`,
      ),
    ).to.deep.equal([
      '1 art_0001 metrics.monthly_listener is not read; did you mean monthly_listeners? 3',
      '1 art_0001 songs.rights.pline is not read; did you mean p_line? 3',
      '1 art_0001 countryCode is not read; did you mean country_code? 3',
    ]);
  });

  it('is warned where a file has no document, and is not refused', async () => {
    const path = await folder.writeText('history.ndjson', '\n');
    const { warnings, total } = await validateHere([
      await folder.write('artists', artistDocuments(1)),
      path,
    ]);
    expect(total).to.equal(0);
    expect(warnings.map(({ file, message }) => `${file}: ${message}`)).to.deep.equal([
      `${path}: has no document`,
    ]);
  });

  it('counts as valid what has no error of its own, is no repetition and refers to what exists', async () => {
    await folder.write('artists', [
      artist,
      artist,
      { ...artist, id: 'other', _id: 'other', name: 7 },
    ]);
    await folder.write('history', [series, series, { ...series, artist_id: 'nobody' }]);
    const { code, stderr } = await validate(folder.path);
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^Warning: .+ line 3: nobody, monthly_listeners: artist_id is of no .+\nValid: 1 artist, 1 series, 0 labels\.\n4 errors in 3 documents: /,
    );
  });

  it('is warned with series of artists that it does not have, which may be stored, and refused with those of a song that an artist does not have', async () => {
    await folder.write('artists', [artist]);
    await folder.write('history', [
      series,
      { ...series, artist_id: 'b' },
      { ...series, artist_id: 'c' },
    ]);
    const { warnings, total, valid } = await validateHere([folder.path]);
    expect({ total, ...valid }).to.deep.equal({ total: 0, artists: 1, series: 1, labels: 0 });
    expect(
      warnings.map(({ line, message, documents }) => [line, message, documents]),
    ).to.deep.equal([
      [
        2,
        'is of no valid artist in the input: an import refuses it unless that artist is stored',
        2,
      ],
    ]);
    await folder.write('history', [{ ...series, metric: 'streams', song_id: 'gone' }]);
    const { errors } = await validateHere([folder.path]);
    expect(errors.map(({ path, message }) => `${path} ${message}`)).to.deep.equal([
      'song_id the artist art_0001 has no song gone',
    ]);
  });

  it('takes little memory whatever its size: 64 MB in a heap of 48 MB, with progress', async () => {
    const path = join(folder.path, 'history.ndjson');
    const file = createWriteStream(path);
    const [long = {}] = seriesDocuments(1, { points: 600 });
    const length = JSON.stringify(long).length;
    for (let number = 0; number * length < 64 * 2 ** 20; number++) {
      file.write(`${JSON.stringify({ ...long, artist_id: `art_${number}` })}\n`);
      if (file.writableNeedDrain) await once(file, 'drain');
    }
    await finished(file.end());
    const { code, stderr } = await runWarm({ NODE_OPTIONS: '--max-old-space-size=48' }, [
      'catalogue',
      'validate',
      path,
    ]);
    expect(stderr)
      .to.match(/^Reading: \d+ of 64 MB\n/)
      .and.match(/Valid: 0 artists, \d{4} series, 0 labels\.\n$/);
    expect(code).to.equal(0);
  });
});
