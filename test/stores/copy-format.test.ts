import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { artist } from '../../adapters/stores/documents/catalogue-members.ts';
import { createKeyReader, keyRecordsOf } from '../../adapters/stores/documents/key-reader.ts';
import { formatVersion, readCopy, UnusableCopy, writeCopy } from '../../adapters/stores/state/copy-file.ts';
import { createKeysCodec } from '../../adapters/stores/state/key-rows.ts';
import { runYielding } from '../../src/runtime/cooperative.ts';
import { catchError } from '../support/catch-error.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readFixtures, type StoredDocument } from '../support/documents.ts';
import { artistDocument, missing, modelOf, pathsIn, withMember } from '../support/stores/stored-documents.ts';
import { rejectionOf } from '../support/wait.ts';

const header = {
  unit: 'catalogue',
  source: 'mongodb://db.example/artists',
  program: '1.0.0',
  answeredAt: 1_787_000_000_000,
};

const keysCodec = createKeysCodec(formNames);

/** The example keys as a source reads them, with documents that cannot be read. */
const readKeys = () => {
  const { api_keys, organizations } = readFixtures();
  const broken = { _id: 'broken1', hash: '0'.repeat(64), form: 'current', organization_id: 'org_qa', partner: 5 };
  const [keys = [], others = []] = [
    [...api_keys, broken],
    [...organizations, { _id: 'org_broken' }],
  ].map((documents: readonly StoredDocument[]) =>
    documents.map((value) => ({ value, name: () => String(value['_id']) })),
  );
  return runYielding(createKeyReader(formNames)(keys, others));
};

describe('a copy on the disk', () => {
  const cleanup = useCleanup(afterEach);
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await cleanup.makeFolder('copy');
    path = join(folder, 'state', 'catalogue.copy');
  });

  const readRows = async (): Promise<Iterable<string>> => {
    const copy = await readCopy(path);
    if (copy === undefined) throw new Error('there is no copy');
    expect(copy.header).to.deep.equal(header);
    return copy.rows();
  };

  it('returns any artist as it was, and as reading the stored document again would', () => {
    const documents = pathsIn(artistDocument).flatMap((path) =>
      [missing, null, new Date(8.64e15), 'text', 0, false, []].map((value) => withMember(artistDocument, path, value)),
    );
    const parsed = [artistDocument, ...readFixtures().artists, ...documents].map(parseArtist);
    const artists = parsed.flatMap((result) => ('model' in result ? [result.model] : []));
    expect(artists.length).to.be.greaterThan(200);
    for (const model of artists) {
      const stored = artist.toStored(model);
      expect(modelOf(parseArtist(stored))).to.deep.equal(model);
      expect(artist.toModel(JSON.parse(JSON.stringify(stored)))).to.deep.equal(model);
    }
  });

  it('returns keys and organizations, and the same judgement of what cannot be read', async () => {
    const keys = await readKeys();
    const rows = [...keysCodec.encode(keys)];
    const read = await runYielding(keysCodec.decode(rows));
    // A member without a value is absent in a copy.
    expect(JSON.stringify(keyRecordsOf(read, formNames))).to.equal(JSON.stringify(keyRecordsOf(keys, formNames)));
    expect([...read.keys.lastGood.keys()]).to.deep.equal([...keys.keys.lastGood.keys()]);
    expect(keyRecordsOf(read, formNames).unreadable?.map(({ id }) => id)).to.include('broken1');
  });

  it('holds hashes and no text of a key, and only its own user may read it', async () => {
    await writeCopy(path, header, keysCodec.encode(await readKeys()));
    const text = await readFile(path, 'utf8');
    for (const { demo_key, hash } of readFixtures().api_keys) {
      expect(text).to.include(hash);
      expect(text).not.to.include(demo_key);
    }
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, 'state'))).mode & 0o777).to.equal(0o700);
  });

  it('is refused when any byte is another', async () => {
    await writeCopy(path, header, keysCodec.encode(await readKeys()));
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 500))) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(path, damaged);
      expect(await catchError(() => readCopy(path)), `byte ${at}`).to.be.instanceOf(UnusableCopy);
    }
  });

  it('is refused when it ends early, or goes on', async () => {
    await writeCopy(path, header, keysCodec.encode(await readKeys()));
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
    ['a text', 'hello\n', 'not a copy file'],
    ['JSON', '{"format":"something"}\n{}\n', 'not a copy file'],
    ['null', 'null\n', 'not a copy file'],
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
});
