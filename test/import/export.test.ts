import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Binary, Decimal128, Long, ObjectId } from 'mongodb';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { exportCatalogue } from '../../tools/import/export-catalogue.ts';
import { withImportLease } from '../../tools/import/import-lease.ts';
import { buildKey } from '../support/builders.ts';
import { useCleanup } from '../support/cleanup.ts';
import { importHere } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import {
  expectRefusal,
  expectUsageError,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { builtCommand } from '../support/cli/run.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { rejectionOf, until } from '../support/wait.ts';

const hex = '66b1601f694b9d336c35fc99';
const instant = new Date('2026-08-22T00:00:00Z');

describe('catalogue export', () => {
  const world = useOperatorEnvironment();
  const other = useOperatorEnvironment();
  const folder = useInputFolder();
  const cleanup = useCleanup(afterEach);
  before(async () => {
    for (const { db } of [world, other]) await createMongoIndexes(db).create();
    await importHere(world.database.documents, [fixtureFolder]);
    const [artist = {}] = artistDocuments(1);
    // What another program may have stored.
    await world.db.collection('artists').insertOne({
      ...artist,
      _id: new ObjectId(hex),
      id: 'art_zz',
      name: '月見坂 "A"\u2028',
      updated_at: instant,
      crm: {
        at: instant,
        called_at: '2026-08-22T02:00:00+02:00',
        big: Long.fromString('9007199254740993'),
        price: Decimal128.fromString('1.10'),
        owner: new ObjectId(hex),
        2: 'b',
        1: [null, { visited_at: instant }],
      },
    });
  });

  const contents = async (name: string): Promise<string> => {
    const path = join(folder.path, name);
    const files = (await readdir(path)).toSorted();
    return (
      await Promise.all(
        files.map(async (file) => `${file}\n${await readFile(join(path, file), 'utf8')}`),
      )
    ).join('');
  };

  it('writes what an import reads: exported, imported and exported again it is equal byte for byte', async () => {
    await world.db
      .collection('artists')
      .updateOne({ id: 'art_6yw0pn' }, { $set: { series_unfinished: true } });
    expect(await world.json('catalogue', 'export', join(folder.path, 'first'))).to.deep.equal({
      artists: 13,
      series: 30,
      labels: 5,
      left_out: 0,
      orphans: 0,
      warnings: [],
    });
    await other.done('catalogue', 'import', join(folder.path, 'first'));
    await other.done('catalogue', 'export', join(folder.path, 'second'));
    const first = await contents('first');
    expect(await contents('second')).to.equal(first);
    expect(first.split('\n')[0]).to.equal('artists.ndjson');
    expect(first).to.include('INTERNAL-ONLY').and.to.include(`"_id":"${hex}"`);
    expect(first).to.include(
      '"called_at":"2026-08-22T00:00:00.000Z","big":"9007199254740993","price":"1.10"',
    );
    expect(first).not.to.include('series_unfinished');
    // The import has nothing to change in the database that the files come from.
    const stored = () => world.db.collection('artists').findOne({ id: 'art_zz' });
    const was = await stored();
    const again = await world.json('catalogue', 'import', join(folder.path, 'first'));
    expect(again).to.have.deep.property('artists', {
      created: 0,
      changed: 0,
      touched: 1,
      unchanged: 12,
      kept: 0,
      removed: 0,
    });
    expect(again).to.have.nested.property('series.unchanged', 30);
    expect(await stored()).to.deep.equal(was);
    expect(was?.['crm'].owner).to.be.instanceOf(ObjectId);
  });

  it('refuses a folder that has an export', async () => {
    const path = join(folder.path, 'first');
    expectUsageError(
      await world.run('catalogue', 'export', path),
      /first: has files already\. Name a new folder\.$/,
    );
  });

  it('leaves nothing when it is interrupted', async () => {
    const url = new URL(world.settings['MONGODB_URL'] ?? '');
    const proxy = cleanup.add(await startTcpProxy(Number(url.port)), ({ close }) => close());
    url.port = String(proxy.port);
    let isReading = false;
    proxy.delayRequests((request) => {
      if (request.includes('history')) {
        proxy.hold();
        isReading = true;
      }
      return 0;
    });
    const before = await readdir(folder.path);
    const args = [builtCommand(), 'catalogue', 'export', join(folder.path, 'interrupted')];
    const env = { ...world.settings, MONGODB_URL: url.href, PATH: process.env['PATH'] };
    const running = promisify(execFile)(process.execPath, args, { env });
    await until('histories are read', () => isReading);
    running.child.stderr?.once('data', () => proxy.release()); // it has taken the signal
    running.child.kill('SIGTERM');
    const ended = await running.catch((failure: unknown) => failure);
    expect(ended)
      .to.have.property('stderr')
      .that.matches(/\nInterrupted: nothing was written\.\n$/);
    expect(await readdir(folder.path)).to.deep.equal(before);
  });

  it('fails while an import has the lease, or if one ran in the meantime, and leaves nothing', async () => {
    const { database } = world;
    const before = await readdir(folder.path);
    const path = join(folder.path, 'during');
    const importer = { actor: 'eve', machineNow: Date.now };
    await withImportLease(database, importer, async () => {
      expectRefusal(
        await world.run('catalogue', 'export', path),
        /^Another import is running \(eve on .+, since .+Z\): nothing was done\. /,
      );
    });
    const file = await folder.write('artists-new', artistDocuments(1));
    const find: typeof database.documents.find = async function* (collection, query) {
      if (collection === 'history' && query?.order !== undefined)
        await world.done('catalogue', 'import', file);
      yield* database.documents.find(collection, query);
    };
    const options = { machineNow: Date.now, interruption: new AbortController().signal };
    const meanwhile = { ...database, documents: { ...database.documents, find } };
    expect(await rejectionOf(exportCatalogue(meanwhile, path, options))).to.equal(
      'An import ran during the export: run this again.',
    );
    await rm(file);
    expect(await readdir(folder.path)).to.deep.equal(before);
    await world.db.collection('artists').deleteOne({ id: 'art_0001' });
  });

  it('holds no keys: neither the collections nor a document with the text of one', async () => {
    const { text } = buildKey({ id: 'abc123' });
    const [artist = {}] = artistDocuments(1);
    const documents = [{ ...artist, _id: 'leaky', id: 'leaky', crm: text }];
    await world.db.collection<{ _id: string }>('artists').insertMany(documents);
    await world.db
      .collection<{ _id: string; hash: string }>('api_keys')
      .insertOne({ _id: 'abc123', hash: 'f00d' });
    const path = join(folder.path, 'third');
    const ran = await world.run('catalogue', 'export', path);
    expectRefusal(ran, /^1 left out/);
    expect(ran.stderr).to.include('Warning: artists leaky: crm contains the text of key abc123');
    expect(await contents('third')).not.to.match(/aik_|f00d|leaky/);
    await world.db.collection('artists').deleteOne({ id: 'leaky' });
    await world.db.collection('api_keys').deleteMany({});
  });

  it('puts aside what an import would refuse, with what belongs to it, and names what JSON cannot hold', async () => {
    const [artist = {}, bad = {}] = artistDocuments(2);
    const { db } = other;
    for (const name of ['artists', 'history', 'labels']) await db.collection(name).deleteMany({});
    const crm = { photo: new Binary(Buffer.from('x')), rate: Number.NaN };
    await db.collection<Readonly<Record<string, unknown>> & { _id: string }>('artists').insertMany([
      { ...artist, _id: 'doc0001', updated_at: instant, crm },
      { ...bad, _id: 'doc0002', updated_at: instant, country_code: 'Indonesia' },
    ]);
    await db.collection('history').insertMany(seriesDocuments(2).map((series) => ({ ...series })));
    const ran = await other.run('catalogue', 'export', join(folder.path, 'aside'), '--json');
    expect(ran.code).to.equal(1);
    const { warnings, ...counts } = JSON.parse(ran.stdout);
    expect(counts).to.deep.equal({ artists: 1, series: 2, labels: 0, left_out: 3, orphans: 0 });
    const paths = warnings.map(
      ({ collection, path }: { collection: string; path: string }) => `${collection} ${path}`,
    );
    expect(paths).to.deep.equal([
      'artists crm.photo',
      'artists crm.rate',
      'artists country_code',
      'history artist_id',
      'history artist_id',
    ]);
    expect(
      (await contents('aside')).split('left-out.ndjson\n')[1]?.trim().split('\n'),
    ).to.have.length(3);
    expect(await world.json('catalogue', 'validate', join(folder.path, 'aside'))).to.deep.include({
      artists: 1,
      series: 2,
    });
  });

  it('counts series of a song or an artist that is gone, puts them aside, and ends with 0', async () => {
    const { db } = other;
    for (const name of ['artists', 'history', 'labels']) await db.collection(name).deleteMany({});
    const [artist = {}] = artistDocuments(1);
    await other.collection('artists').insertOne({ ...artist, _id: 'doc0001', songs: [] });
    await db.collection('history').insertMany(seriesDocuments(2).map((series) => ({ ...series })));
    const path = join(folder.path, 'gone');
    const ran = await other.run('catalogue', 'export', path);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(ran.stderr).to.equal(
      '3 series of an artist or a song that is gone: in left-out.ndjson; "catalogue import --prune" removes them.\n',
    );
    expect(await readdir(path)).to.have.members(
      ['artists', 'history', 'labels', 'left-out'].map((name) => `${name}.ndjson`),
    );
    const again = await other.json('catalogue', 'import', path, '--dry-run');
    expect(again).to.have.deep.property('orphans', { kept: 3, removed: 0 });
    await other.done('catalogue', 'import', path, '--yes', '--prune-at-most', '3');
    expect(await db.collection('history').countDocuments({})).to.equal(1);
  });
});
