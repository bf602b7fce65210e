import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { createKeyReader, keyRecordsOf } from '../../adapters/stores/documents/key-reader.ts';
import type { LoadedCatalogue } from '../../adapters/stores/documents/tracked-document.ts';
import {
  formatVersion,
  readCopy,
  touchCopy,
  writeCopy,
} from '../../adapters/stores/state/copy-file.ts';
import { catalogueRows, rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import type { KeyRecords, RecentPoints } from '../../src/ports.ts';
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
  program: '1.0.0',
};

const answeredAt = 1_787_000_000_000;

/** Why a file that was a copy is none any more. */
const unusable =
  /^(not a copy file|its checksum is wrong|it has format \S+, this version reads \d+)$/;

const keyRows = rowsOfLists<KeyRecords>('keys', 'organizations');

/** The example keys as a source reads them, with documents that cannot be read. */
const readKeys = async (): Promise<KeyRecords> => {
  const { api_keys, organizations } = readFixtures();
  const broken = {
    _id: 'broken1',
    hash: '0'.repeat(64),
    form: 'current',
    organization_id: 'org_qa',
    partner: 5,
  };
  const [keys = [], others = []] = [
    [...api_keys, broken],
    [...organizations, { _id: 'org_broken' }],
  ].map((documents: readonly StoredDocument[]) =>
    documents.map((value) => ({ value, name: () => String(value['_id']) })),
  );
  return keyRecordsOf(await createKeyReader(formNames)(keys, others), formNames);
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
    expect(copy.answeredAt).to.equal(answeredAt);
    return copy.rows();
  };

  it('returns any artist with its points as it was, but members without a value', async () => {
    const documents = pathsIn(artistDocument).flatMap((path) =>
      [missing, null, new Date(8.64e15), 'text', 0, false, []].map((value) =>
        withMember(artistDocument, path, value),
      ),
    );
    const parsed = [artistDocument, ...readFixtures().artists, ...documents].map(parseArtist);
    const models = parsed.flatMap((result) => ('model' in result ? [result.model] : []));
    expect(models.length).to.be.greaterThan(200);
    const shared = ['2026-08-20', '2026-08-22'];
    const recentOf = (index: number): RecentPoints[] => [
      { metric: 'social_score', days: shared, values: [index, 2 ** 53] },
      { metric: 'monthly_listeners', days: [], values: [] },
      { metric: 'tiktok_followers', days: ['2026-08-21'], values: [0.1] },
    ];
    const contents: LoadedCatalogue = {
      artists: models.map((artist, index) => ({
        artist,
        recent: recentOf(index),
        ...(index % 2 && { content: 'x' }),
      })),
      labels: [{ name: 'tab\t and \u2028 are texts', aliases: [] }],
      faults: [
        { event: 'member left out', collection: 'artists', document: 'a', reason: 'name: bad' },
      ],
      labelsById: [['0 a', { name: 'a', aliases: ['b'] }]],
      confirmations: [['history', '1']],
    };
    const read = await catalogueRows.read(catalogueRows.write(contents));
    expect(JSON.parse(JSON.stringify(read))).to.deep.equal(JSON.parse(JSON.stringify(contents)));
    expect(read.artists[0]?.recent[0]?.days).to.equal(read.artists[1]?.recent[0]?.days);
  });

  it('returns empty lists as they were', async () => {
    const empty = { artists: [], labels: [], faults: [] };
    expect(await catalogueRows.read(catalogueRows.write(empty))).to.deep.include(empty);
    const none = { keys: [], organizations: [] };
    expect(await keyRows.read(keyRows.write(none))).to.deep.equal(none);
  });

  it('returns keys and organizations, and the same judgement of what cannot be read', async () => {
    const keys = await readKeys();
    const read = await keyRows.read(keyRows.write(keys));
    expect(read).to.deep.equal(JSON.parse(JSON.stringify(keys)));
    expect(read.unreadable?.map(({ id }) => id)).to.include('broken1');
  });

  it('holds hashes and no text of a key, and only its own user may read it', async () => {
    await writeCopy(path, header, answeredAt, keyRows.write(await readKeys()));
    const text = await readFile(path, 'utf8');
    for (const { demo_key, hash } of readFixtures().api_keys) {
      expect(text).to.include(hash);
      expect(text).not.to.include(demo_key);
    }
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, 'state'))).mode & 0o777).to.equal(0o700);
  });

  it('is refused when any byte is another', async () => {
    await writeCopy(path, header, answeredAt, keyRows.write(await readKeys()));
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 500))) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(path, damaged);
      expect(await rejectionOf(readCopy(path)), `byte ${at}`).to.match(unusable);
    }
  });

  it('says when its source answered last, and is the same otherwise', async () => {
    await writeCopy(path, header, answeredAt, ['1']);
    const size = (await stat(path)).size;
    expect(await touchCopy(path, answeredAt + 86_400_000)).to.equal(true);
    const copy = await readCopy(path);
    expect([copy?.answeredAt, [...(copy?.rows() ?? [])]]).to.deep.equal([
      answeredAt + 86_400_000,
      ['1'],
    ]);
    expect((await stat(path)).size).to.equal(size);
  });

  it('is not written into when it is a link, another user may write to it, or it is shorter', async () => {
    await writeCopy(path, header, answeredAt, ['1']);
    const before = await readFile(path);
    const link = join(folder, 'link.copy');
    await symlink(path, link);
    expect(await touchCopy(link, 1)).to.equal(false);
    await chmod(path, 0o620);
    expect(await touchCopy(path, 1)).to.equal(false);
    expect(await readFile(path)).to.deep.equal(before);
    await writeFile(path, 'short', { mode: 0o600 });
    await chmod(path, 0o600);
    expect(await touchCopy(path, 1)).to.equal(false);
    expect(await readFile(path, 'utf8')).to.equal('short');
  });

  it('is refused when it ends early, or goes on', async () => {
    await writeCopy(path, header, answeredAt, keyRows.write(await readKeys()));
    const bytes = await readFile(path);
    const lengths = [
      0,
      1,
      70,
      100,
      200,
      ...[1, 2, 70, 71, 72, 73, 74, 500].map((less) => bytes.length - less),
    ];
    for (const length of lengths) {
      await writeFile(path, bytes.subarray(0, length));
      expect(await rejectionOf(readCopy(path)), `${length} bytes`).to.match(unusable);
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
    await writeCopy(path, header, answeredAt, []);
    await chmod(path, 0o620);
    expect(await rejectionOf(readCopy(path))).to.equal('other users may write to it');
  });

  it('keeps the former copy when the rows of the next one fail, and leaves no other file', async () => {
    await writeCopy(path, header, answeredAt, ['1']);
    const rows = function* (): Iterable<string> {
      yield 'x'.repeat(100_000);
      throw new Error('no more');
    };
    expect(await rejectionOf(writeCopy(path, header, answeredAt, rows()))).to.equal('no more');
    expect([...(await readRows())]).to.deep.equal(['1']);
    expect(await readdir(join(folder, 'state'))).to.deep.equal(['catalogue.copy']);
  });

  it('removes what a killed process left of this file, and nothing else', async () => {
    // no process has this number
    const of = (name: string) => `${name}.4194999-00000000-0000-0000-0000-000000000000.tmp`;
    await mkdir(join(folder, 'state'));
    for (const name of [of('catalogue.copy'), of('keys.copy'), 'notes.tmp'])
      await writeFile(join(folder, 'state', name), '');
    await writeCopy(path, header, answeredAt, []);
    expect(await readdir(join(folder, 'state'))).to.have.members([
      'catalogue.copy',
      of('keys.copy'),
      'notes.tmp',
    ]);
  });
});
