import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Binary, Decimal128, Long, ObjectId } from 'mongodb';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { exportCatalogue } from '../../tools/import/export-catalogue.ts';
import { withImportLease } from '../../tools/import/import-lease.ts';
import { buildKey } from '../support/builders.ts';
import { importHere } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import {
  expectRefusal,
  expectUsageError,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { rejectionOf } from '../support/wait.ts';

const hex = '66b1601f694b9d336c35fc99';
const instant = new Date('2026-08-22T00:00:00Z');
const collections = ['artists', 'history', 'labels'] as const;

describe('catalogue export', () => {
  const world = useOperatorEnvironment();
  const other = useOperatorEnvironment();
  const folder = useInputFolder();
  const at = (name: string) => join(folder.path, name);
  const [artist = {}, second = {}] = artistDocuments(2);
  let exported: unknown;
  before(async () => {
    for (const { db } of [world, other]) await createMongoIndexes(db).create();
    await importHere(world.database.documents, [fixtureFolder]);
    const owner = new ObjectId(hex);
    // what another program may have stored
    await world.db.collection('artists').insertOne({
      ...{ ...artist, _id: owner, id: 'art_zz', name: '月見坂 "A"\u2028', updated_at: instant },
      crm: {
        at: instant,
        called_at: '2026-08-22T02:00:00+02:00',
        big: Long.fromString('9007199254740993'),
        price: Decimal128.fromString('1.10'),
        owner,
        2: 'b',
        1: [null, { visited_at: instant }],
      },
    });
    const unfinished = { $set: { series_unfinished: true } };
    await world.db.collection('artists').updateOne({ id: 'art_6yw0pn' }, unfinished);
    exported = await world.json('catalogue', 'export', at('first'));
  });

  const contents = async (name: string): Promise<string> => {
    const files = (await readdir(at(name))).toSorted();
    const texts = files.map(
      async (file) => `${file}\n${await readFile(join(at(name), file), 'utf8')}`,
    );
    return (await Promise.all(texts)).join('');
  };
  /** Stores documents in place of all others. */
  const replace = async (artists: readonly object[]) => {
    for (const name of collections) await other.db.collection(name).deleteMany({});
    await other.db.collection('artists').insertMany([...artists]);
    await other.db.collection('history').insertMany(seriesDocuments(2).map((one) => ({ ...one })));
  };
  const interruption = new AbortController().signal;

  it('writes the same bytes again after its files are imported elsewhere', async () => {
    expect(exported).to.deep.equal({
      ...{ artists: 13, series: 30, labels: 5, left_out: 0, orphans: 0, warnings: [] },
    });
    await other.done('catalogue', 'import', at('first'));
    await other.done('catalogue', 'export', at('second'));
    const first = await contents('first');
    expect(await contents('second')).to.equal(first);
    expect(first.split('\n')[0]).to.equal('artists.ndjson');
    expect(first).to.include('INTERNAL-ONLY').and.include(`"_id":"${hex}"`);
    expect(first).to.include(
      '"called_at":"2026-08-22T00:00:00.000Z","big":"9007199254740993","price":"1.10"',
    );
    expect(first).not.to.include('series_unfinished');
  });

  it('writes files that change nothing in their own database', async () => {
    const stored = () => world.db.collection('artists').findOne({ id: 'art_zz' });
    const was = await stored();
    const again = await world.json('catalogue', 'import', at('first'));
    expect(again).to.deep.nested.include({
      artists: { created: 0, changed: 0, touched: 1, unchanged: 12, kept: 0, removed: 0 },
      'series.unchanged': 30,
    });
    expect(await stored()).to.deep.equal(was);
    expect(was?.['crm'].owner).to.be.instanceOf(ObjectId);
  });

  it('rejects a folder with files', async () => {
    expectUsageError(
      await world.run('catalogue', 'export', at('first')),
      /first: has files already\. Name a new folder\.$/,
    );
  });

  it('leaves no file when it is interrupted', async () => {
    const { database } = world;
    const before = await readdir(folder.path);
    const stop = new AbortController();
    const find: typeof database.documents.find = (collection, query) => {
      if (collection === 'history') stop.abort(new Error('Interrupted'));
      return database.documents.find(collection, query);
    };
    const stopped = { ...database, documents: { ...database.documents, find } };
    const options = { machineNow: Date.now, interruption: stop.signal };
    expect(await rejectionOf(exportCatalogue(stopped, at('stopped'), options))).to.match(
      /Interrupted/,
    );
    expect(await readdir(folder.path)).to.deep.equal(before);
  });

  it('fails if an import runs at the same time, and leaves no file', async () => {
    const { database } = world;
    const before = await readdir(folder.path);
    const importer = { actor: 'eve', machineNow: Date.now };
    await withImportLease(database, importer, async () => {
      expectRefusal(
        await world.run('catalogue', 'export', at('during')),
        /^Another import is running \(eve on .+, since .+Z\): nothing was done\. /,
      );
    });
    const file = await folder.write('artists-new', [artist]);
    const find: typeof database.documents.find = async function* (collection, query) {
      if (collection === 'history' && query?.order !== undefined)
        await world.done('catalogue', 'import', file);
      yield* database.documents.find(collection, query);
    };
    const changed = { ...database, documents: { ...database.documents, find } };
    const options = { machineNow: Date.now, interruption };
    expect(await rejectionOf(exportCatalogue(changed, at('during'), options))).to.equal(
      'An import ran during the export: run this again.',
    );
    await rm(file);
    expect(await readdir(folder.path)).to.deep.equal(before);
    await world.db.collection('artists').deleteOne({ id: 'art_0001' });
  });

  it('contains no keys: neither their collections nor a document with the text of one', async () => {
    const { text } = buildKey({ id: 'abc123' });
    await world
      .collection('artists')
      .insertOne({ ...artist, _id: 'leaky', id: 'leaky', crm: text });
    await world.collection('api_keys').insertOne({ _id: 'abc123', hash: 'f00d' });
    const ran = await world.run('catalogue', 'export', at('third'));
    expectRefusal(ran, /^1 left out/);
    expect(ran.stderr).to.include('Warning: artists leaky: crm contains the text of key abc123');
    expect(await contents('third')).not.to.match(/aik_|f00d|leaky/);
  });

  it('separates what an import would reject, and names what JSON cannot contain', async () => {
    const crm = { photo: new Binary(Buffer.from('x')), rate: Number.NaN };
    await replace([
      { ...artist, updated_at: instant, crm },
      { ...second, updated_at: instant, country_code: 'Indonesia' },
    ]);
    const ran = await other.run('catalogue', 'export', at('aside'), '--json');
    expect(ran.code).to.equal(1);
    const { warnings, ...counts } = JSON.parse(ran.stdout);
    expect(counts).to.deep.equal({ artists: 1, series: 2, labels: 0, left_out: 3, orphans: 0 });
    const fields: readonly Record<string, string>[] = warnings;
    expect(fields.map(({ collection, path }) => `${collection} ${path}`)).to.deep.equal([
      ...['artists crm.photo', 'artists crm.rate', 'artists country_code'],
      ...['history artist_id', 'history artist_id'],
    ]);
    const leftOut = (await contents('aside')).split('left-out.ndjson\n')[1] ?? '';
    expect(leftOut.trim().split('\n')).to.have.length(3);
    expect(await world.json('catalogue', 'validate', at('aside'))).to.deep.include({
      ...{ artists: 1, series: 2 },
    });
  });

  it('separates series of an absent song or artist, and succeeds', async () => {
    await replace([{ ...artist, songs: [] }]);
    const path = at('gone');
    const ran = await other.run('catalogue', 'export', path);
    expect(ran).to.deep.include({
      code: 0,
      stderr:
        '3 series of an artist or a song that is gone: in left-out.ndjson; "catalogue import --prune" removes them.\n',
    });
    expect(await readdir(path)).to.have.members(
      [...collections, 'left-out'].map((name) => `${name}.ndjson`),
    );
    const again = await other.json('catalogue', 'import', path, '--dry-run');
    expect(again).to.have.deep.property('orphans', { kept: 3, removed: 0 });
    await other.done('catalogue', 'import', path, '--yes', '--prune-at-most', '3');
    expect(await other.db.collection('history').countDocuments({})).to.equal(1);
  });
});
