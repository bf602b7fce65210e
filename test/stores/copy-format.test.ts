import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { createKeyReader, keyRecordsOf } from '../../adapters/stores/documents/key-reader.ts';
import {
  formatVersion,
  readCopy,
  writeHeader,
  writeRows,
} from '../../adapters/stores/state/copy-file.ts';
import { catalogueRows, rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import type { CatalogueContents, KeyRecords, RecentPoints } from '../../src/ports.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readFixtures, type StoredDocument } from '../support/documents.ts';
import {
  artistDocument,
  missing,
  pathsIn,
  withMember,
} from '../support/stores/stored-documents.ts';
import { rejectionOf } from '../support/wait.ts';

const header = {
  unit: 'catalogue',
  source: 'mongodb://db.example/artists',
  answeredAt: 1_787_000_000_000,
};

const writeCopy = async (path: string, rows: Iterable<string>): Promise<string> => {
  const written = await writeRows(path, rows);
  await writeHeader(path, { ...header, ...written });
  return join(dirname(path), written.file);
};

const keyRows = rowsOfLists<KeyRecords>('keys', 'organizations');

const fixtures = readFixtures();

/** The example keys as a source reads them, with documents that cannot be read. */
const readKeys = async (): Promise<KeyRecords> => {
  const identity = { _id: 'broken1', hash: '0'.repeat(64), form: 'current' };
  const broken = { ...identity, organization_id: 'org_qa', partner: 5 };
  const named = (...documents: readonly StoredDocument[]) =>
    documents.map((value) => ({ value, name: () => String(value['_id']) }));
  const read = createKeyReader(formNames, { acceptsDemoKeys: true });
  const keys = named(...fixtures.api_keys, broken);
  const organizations = named(...fixtures.organizations, { _id: 'org_broken' });
  return keyRecordsOf(await read(keys, organizations), formNames);
};

describe('a copy on disk', () => {
  const cleanup = useCleanup(afterEach);
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await cleanup.makeFolder('copy');
    path = join(folder, 'state', 'catalogue');
  });

  const readRows = async (): Promise<Iterable<string>> => {
    const copy = await readCopy(path);
    if (copy === undefined) throw new Error('there is no copy');
    expect(copy.header).to.deep.include(header);
    return copy.rows();
  };

  it('returns any artist with its points as written, without empty fields', async () => {
    const documents = pathsIn(artistDocument).flatMap((path) =>
      [missing, null, new Date(8.64e15), 'text', 0, false, []].map((value) =>
        withMember(artistDocument, path, value),
      ),
    );
    const parsed = [artistDocument, ...fixtures.artists, ...documents].map(parseArtist);
    const models = parsed.flatMap((result) => ('model' in result ? [result.model] : []));
    expect(models.length).to.be.greaterThan(200);
    const shared = ['2026-08-20', '2026-08-22'];
    const recentOf = (index: number): RecentPoints[] => [
      { metric: 'social_score', days: shared, values: [index, 2 ** 53] },
      { metric: 'monthly_listeners', days: [], values: [] },
      { metric: 'tiktok_followers', days: ['2026-08-21'], values: [0.1] },
    ];
    const contents: CatalogueContents = {
      artists: models.map((artist, index) => ({
        artist,
        recent: recentOf(index),
        ...(index % 2 && { content: 'x' }),
      })),
      labels: [{ name: 'tab\t and \u2028 are texts', aliases: [] }],
      faults: [
        {
          event: 'invalid field ignored',
          collection: 'artists',
          document: 'a',
          reason: 'name: bad',
        },
      ],
    };
    const read = await catalogueRows.read(catalogueRows.write(contents));
    expect(JSON.parse(JSON.stringify(read))).to.deep.equal(JSON.parse(JSON.stringify(contents)));
    expect(read.artists[0]?.recent[0]?.days).to.equal(read.artists[1]?.recent[0]?.days);
  });

  it('returns empty lists as written', async () => {
    const empty = { artists: [], labels: [], faults: [] };
    expect(await catalogueRows.read(catalogueRows.write(empty))).to.deep.include(empty);
    const none = { keys: [], organizations: [] };
    expect(await keyRows.read(keyRows.write(none))).to.deep.equal(none);
  });

  it('returns keys, organizations and unreadable keys as written', async () => {
    const keys = await readKeys();
    const read = await keyRows.read(keyRows.write(keys));
    expect(read).to.deep.equal(JSON.parse(JSON.stringify(keys)));
    expect(read.unreadable?.map(({ id }) => id)).to.include('broken1');
  });

  it('contains hashes but no key text, and is readable only for its user', async () => {
    const file = await writeCopy(path, keyRows.write(await readKeys()));
    const text = await readFile(file, 'utf8');
    for (const { demo_key, hash } of fixtures.api_keys) {
      expect(text).to.include(hash);
      expect(text).not.to.include(demo_key);
    }
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, 'state'))).mode & 0o777).to.equal(0o700);
  });

  it('is rejected if any byte of its rows differs, is missing or is added', async () => {
    const file = await writeCopy(path, keyRows.write(await readKeys()));
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 100))) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      for (const other of [damaged, bytes.subarray(0, at), Buffer.concat([bytes, damaged])]) {
        await writeFile(file, other);
        expect(await rejectionOf(readCopy(path)), `byte ${at}`).to.equal('its checksum is wrong');
      }
    }
  });

  it('keeps the previous rows until the header names new ones, then removes them', async () => {
    const first = await writeCopy(path, ['1']);
    const next = await writeRows(path, ['2']); // killed here
    expect([...(await readRows())]).to.deep.equal(['1']);
    expect(await writeHeader(path, { ...header, ...next })).to.equal(true);
    expect([...(await readRows())]).to.deep.equal(['2']);
    expect(await readdir(dirname(first))).to.have.members([next.file, 'catalogue.json']);
  });

  for (const [what, text, reason] of [
    ['a text', 'hello\n', 'not a copy file'],
    ['JSON', '{"format":"something"}\n', 'not a copy file'],
    [
      'a copy of another format',
      JSON.stringify({
        ...{ ...header, format: formatVersion + 1, sha256: '' },
        file: 'catalogue-00000000-0000-0000-0000-000000000000.ndjson',
      }),
      `it has format ${formatVersion + 1}, this version reads ${formatVersion}`,
    ],
    ['one with rows elsewhere', '{"format":5,"file":"../keys.ndjson"}', 'not a copy file'],
  ] as const) {
    it(`is rejected if it is ${what}`, async () => {
      await mkdir(join(folder, 'state'));
      await writeFile(`${path}.json`, text, { mode: 0o600 });
      expect(await rejectionOf(readCopy(path))).to.equal(reason);
    });
  }

  it('is rejected if other users may write to it', async () => {
    const file = await writeCopy(path, []);
    for (const one of [file, `${path}.json`]) {
      await chmod(one, 0o620);
      expect(await rejectionOf(readCopy(path))).to.equal('other users may write to it');
      await chmod(one, 0o600);
    }
  });

  it('keeps the previous copy, and no other file, when the rows of the next one fail', async () => {
    await writeCopy(path, ['1']);
    const rows = function* (): Iterable<string> {
      yield 'x'.repeat(100_000);
      throw new Error('no more');
    };
    expect(await rejectionOf(writeRows(path, rows()))).to.equal('no more');
    expect([...(await readRows())]).to.deep.equal(['1']);
    expect(await readdir(join(folder, 'state'))).to.have.length(2);
  });
});
