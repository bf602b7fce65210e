import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { keyRecordsOf } from '../../adapters/stores/documents/key-reader.ts';
import { catalogueCodec, createKeysCodec } from '../../adapters/stores/state/codecs.ts';
import { formatVersion, readCopy, UnusableCopy, writeCopy } from '../../adapters/stores/state/copy-file.ts';
import { runYielding } from '../../src/runtime/cooperative.ts';
import { buildArtist, buildPoint, buildSeries } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { readFixtures } from '../support/documents.ts';
import { keyFixtures, plainCatalogue, trackedFixtures } from '../support/stores/copies.ts';
import { rejectionOf } from '../support/wait.ts';

const header = {
  unit: 'catalogue',
  source: 'mongodb://db.example/artists',
  program: '1.0.0',
  answeredAt: 1_787_000_000_000,
};

const keysCodec = createKeysCodec(formNames);

describe('a copy on the disk', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'artist-gateway-copy-'));
    path = join(folder, 'state', 'catalogue.copy');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const readRows = async (): Promise<Iterable<string>> => {
    const copy = await readCopy(path);
    if (copy === undefined) throw new Error('there is no copy');
    expect(copy.header).to.deep.equal(header);
    return copy.rows();
  };

  it('returns every part of a catalogue, also what cannot be read and whatever the texts are', async () => {
    const catalogue = trackedFixtures();
    await writeCopy(path, header, catalogueCodec.encode(catalogue));
    const read = await runYielding(catalogueCodec.decode(await readRows()));
    await runYielding(catalogueCodec.complete?.(read) ?? (function* () {})());
    expect(plainCatalogue(read)).to.deep.equal(catalogue);
  });

  it('shares the texts, lists of days and parts that artists have in common', async () => {
    const catalogue = trackedFixtures();
    const rows = [...catalogueCodec.encode(catalogue)].join('\n');
    expect(rows.length).to.be.lessThan(JSON.stringify([...catalogue.artists.values()]).length / 2);
  });

  it('returns keys and organizations, and the same judgement of what cannot be read', async () => {
    const keys = keyFixtures(formNames);
    const rows = [...keysCodec.encode(keys)];
    const read = await runYielding(keysCodec.decode(rows));
    // A member without a value is absent in a copy.
    expect(JSON.stringify(keyRecordsOf(read, formNames))).to.equal(JSON.stringify(keyRecordsOf(keys, formNames)));
    expect([...read.keys.lastGood.keys()]).to.deep.equal([...keys.keys.lastGood.keys()]);
    expect(keyRecordsOf(read, formNames).unreadable?.map(({ id }) => id)).to.include('broken1');
  });

  it('holds hashes and no text of a key, and only its own user may read it', async () => {
    await writeCopy(path, header, keysCodec.encode(keyFixtures(formNames)));
    const text = await readFile(path, 'utf8');
    for (const { demo_key, hash } of readFixtures().api_keys) {
      expect(text).to.include(hash);
      expect(text).not.to.include(demo_key);
    }
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, 'state'))).mode & 0o777).to.equal(0o700);
  });

  it('is refused when any byte is another', async () => {
    await writeCopy(path, header, keysCodec.encode(keyFixtures(formNames)));
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 500))) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(path, damaged);
      expect(await catchError(() => readCopy(path)), `byte ${at}`).to.be.instanceOf(UnusableCopy);
    }
  });

  it('is refused when it ends early, or goes on', async () => {
    await writeCopy(path, header, keysCodec.encode(keyFixtures(formNames)));
    const bytes = await readFile(path);
    const lengths = [0, 1, 70, 100, 200, ...[1, 2, 70, 71, 72, 73, 74, 500].map((less) => bytes.length - less)];
    for (const length of lengths) {
      await writeFile(path, bytes.subarray(0, length));
      expect(await catchError(() => readCopy(path)), `${length} bytes`).to.be.instanceOf(UnusableCopy);
    }
    await writeFile(path, Buffer.concat([bytes, Buffer.from('\n')]));
    expect(await rejectionOf(readCopy(path))).to.equal('its checksum is wrong');
  });

  for (const [what, text, reason] of [
    ['a text', 'hello\n', 'it is no copy'],
    ['JSON', '{"format":"something"}\n{}\n', 'it is no copy'],
    ['null', 'null\n', 'it is no copy'],
    [
      'a copy of another format',
      `{"format":"artist-gateway copy","version":${formatVersion + 1}}\n`,
      `it has format ${formatVersion + 1}, this version reads ${formatVersion}`,
    ],
  ] as const) {
    it(`is refused when it is ${what}`, async () => {
      await mkdir(join(folder, 'state'));
      await writeFile(path, text, { mode: 0o600 });
      expect(await rejectionOf(readCopy(path))).to.equal(reason);
    });
  }

  it('is refused when other users may write to it', async () => {
    await writeCopy(path, header, []);
    await chmod(path, 0o620);
    expect(await rejectionOf(readCopy(path))).to.equal('other users may write to it');
  });

  it('keeps the former copy when the rows of the next one fail, and leaves no other file', async () => {
    await writeCopy(path, header, ['1']);
    const rows = function* (): Iterable<string> {
      yield 'x'.repeat(100_000);
      throw new Error('no more');
    };
    expect(await rejectionOf(writeCopy(path, header, rows()))).to.equal('no more');
    expect([...(await readRows())]).to.deep.equal(['1']);
    expect(await readdir(join(folder, 'state'))).to.deep.equal(['catalogue.copy']);
  });

  it('removes what a killed process left of this file, and nothing else', async () => {
    const of = (name: string) => `${name}.4194999-00000000-0000-0000-0000-000000000000.tmp`; // no process has this number
    await mkdir(join(folder, 'state'));
    for (const name of [of('catalogue.copy'), of('keys.copy'), 'notes.tmp'])
      await writeFile(join(folder, 'state', name), '');
    await writeCopy(path, header, []);
    expect(await readdir(join(folder, 'state'))).to.have.members(['catalogue.copy', of('keys.copy'), 'notes.tmp']);
  });

  it('has the format that its version names: when these rows change, `formatVersion` must too', () => {
    const artist = buildArtist({ genres: ['pop'], dateAdded: '2026-08-01', metrics: { social_score: 5 } });
    const points = [buildPoint('2026-08-01', 5), buildPoint('2026-08-03', 6, { stale: true })];
    const listed = { artist, recent: [buildSeries({ points })] };
    const document = { key: 'k', revision: 7, listed, faults: [], keepsRecent: false };
    const catalogue = { ...trackedFixtures(), artists: new Map([['k', document]]) };
    const [days, row] = catalogueCodec.encode(catalogue);
    expect([formatVersion, days, row]).to.deep.equal([
      1,
      '["days",["2026-08-01","2026-08-03"]]',
      '["tracked","k",7,false,[],["doc-art_1","art_1","Nobody",null,["pop"],null,"2026-08-01",1,{},null,null,{},' +
        '{"social_score":5},[],{},[null,null],[null,null,null,null],null,1787356800000]]' +
        '\t[["art_1","spotify_streams",0,[5,6],"02"]]',
    ]);
  });
});
