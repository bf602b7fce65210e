import { join } from 'node:path';
import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { userName } from '../../tools/cli/shared-options.ts';
import { noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const served = { served: true, left_out: [] };

describe('catalogue import', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder();
  const artists = () => world.db.collection('artists').countDocuments({});

  before(async () => {
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3));
    await folder.write('labels', [{ name: 'Tidemark', aliases: [] }]);
  });

  it('prints with --dry-run what it would write, and writes nothing', async () => {
    const { code, stdout, stderr } = await world.run(
      'catalogue',
      'import',
      folder.path,
      '--dry-run',
    );
    expect(code).to.equal(0);
    expect(stdout).to.match(/^change\tcollection\t/);
    expect(stderr).to.match(
      /Dry run, nothing was written\. An import now: added 3 artists, 6 series and 1 label\.\n$/,
    );
    expect(await artists()).to.equal(0);
  });

  it('prints progress as plain lines to a pipe', async () => {
    const { stderr } = await world.run('catalogue', 'import', folder.path);
    expect(stderr).to.match(
      /^Comparing: 3 of 3 artists\nWriting: 3 of 3 artists\nImported in \d+\.\d s, none refused: added 3 artists, 6 series and 1 label\.\n$/,
    );
  });

  it('counts everything as unchanged the second time', async () => {
    expect(await world.json('catalogue', 'import', folder.path)).to.deep.equal({
      artists: { ...noCounts, unchanged: 3 },
      series: { ...noCounts, unchanged: 6 },
      days: { ...noCounts, unchanged: 30 },
      members: noCounts,
      labels: { ...noCounts, unchanged: 1 },
      orphans: { kept: 0, removed: 0 },
      refused: [],
      warnings: [],
    });
  });

  it('writes nothing when one of 3,000 lines is bad, and names file, line, id, name and member', async () => {
    const documents = artistDocuments(3_000);
    documents[1_999] = { ...documents[1_999], metrics: { monthly_listeners: 'x' } };
    const file = await folder.write('artists', documents);
    const ran = await world.run('catalogue', 'import', file);
    expectRefusal(
      ran,
      /^1 error in 1 document: nothing was written\. Correct it and run it again\.$/,
    );
    const listed = `file\tline\tid\tname\tmember\twhy\n${file}\t2000\tart_2000\tArtist 2000\tmetrics.monthly_listeners\t`;
    expect(ran.stdout.startsWith(listed), ran.stdout).to.equal(true);
    expect(await artists()).to.equal(3);
  });

  it('asks before it removes, and for the number that is more than a tenth of a collection', async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    const prune = (...options: string[]) =>
      world.run('catalogue', 'import', folder.path, '--prune', ...options);
    const tooMany =
      '--prune removes 1 of 3 artists and 2 of 6 series, more than a tenth: it needs --prune-at-most 2.';
    for (const most of [[], ['--prune-at-most', '1']])
      expectRefusal(await prune('--yes', ...most), new RegExp(`^Nothing was written. ${tooMany}$`));
    expect((await prune('--dry-run')).stderr).to.include(tooMany);
    expectRefusal(
      await prune('--prune-at-most', '2'),
      /^Remove 1 artist and 2 series that the input no longer has\? Not a terminal: .+ with --yes\.$/,
    );
    expect(await artists()).to.equal(3);
    const done = await prune('--prune-at-most', '2', '--yes', '--json');
    expect(JSON.parse(done.stdout)).to.deep.include({
      artists: { ...noCounts, unchanged: 2, removed: 1 },
      series: { ...noCounts, unchanged: 4, removed: 2 },
    });
    expect(await artists()).to.equal(2);
  });

  it('lists each import in its log: who, which files, and what it changed', async () => {
    const [first, ...others] = await world.json<readonly object[]>('catalogue', 'log');
    expect(first).to.deep.include({
      actor: userName(),
      files: ['artists', 'history', 'labels'].map((name) => join(folder.path, `${name}.ndjson`)),
      added: { artists: 3, series: 6, labels: 1 },
      changed: {},
      removed: {},
    });
    expect(others.at(-1)).to.deep.include({ removed: { artists: 1, series: 2 } });
    const listed = await world.done('catalogue', 'log', '--limit', '1');
    expect(listed.split('\n')[1]).to.match(
      /^20.+Z\t.+\t.+artists\.ndjson, .+\t\t\t1 artist, 2 series\t$/,
    );
  });

  it('lists old and new values with --dry-run: twenty, or all with --json', async () => {
    const [artist, second = {}] = artistDocuments(2);
    const songs = [{ id: 'sng_0001', name: 'Renamed', metrics: {} }];
    await folder.write('artists', [{ ...artist, songs, genres: ['pop'] }, second]);
    await folder.write('history', seriesDocuments(2, { points: 6, add: 1 }));
    await folder.write('labels', []);
    const run = (...options: string[]) =>
      world.run('catalogue', 'import', folder.path, '--dry-run', '--prune', ...options);
    const changes: readonly object[] = JSON.parse((await run('--json')).stdout).changes;
    expect(changes).to.have.length(2 + 4 * 6 + 1);
    const changed = { change: 'changed', collection: 'artists', document: 'art_0001' };
    expect(changes).to.deep.include.members([
      { ...changed, member: 'songs.sng_0001.name', old: 'Song', new: 'Renamed' },
      { ...changed, member: 'genres', new: ['pop'] },
      {
        change: 'changed',
        collection: 'history',
        document: 'art_0002 sng_0002 streams',
        member: 'points.2026-08-01.value',
        old: 1000,
        new: 1001,
      },
      { change: 'removed', collection: 'labels', document: 'Tidemark' },
    ]);
    const { stdout, stderr } = await run();
    expect(stdout.split('\n').filter((line) => line.startsWith('changed\t'))).to.have.length(20);
    expect(stderr).to.include('7 more changes: --json lists all.');
  });

  it('moves the days of the example catalogue with --days-to-today, so that it shows spikes', async () => {
    await world.done('catalogue', 'import', fixtureFolder, '--days-to-today');
    const today = dayOf(Date.now());
    const added = await world.db.collection('artists').findOne({ id: 'art_0dk5mb' });
    expect(added)
      .to.have.property('date_added')
      .that.is.oneOf([today, addDays(today, -1)]);
    const series = { artist_id: 'art_4jt8re', metric: 'monthly_listeners' };
    const points = (await world.db.collection('history').findOne(series))?.['points'];
    expect(points.at(-1).date).to.equal(added?.['date_added']);
  });
});

describe('catalogue show', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder();
  const show = (id: string) => world.json<Document>('catalogue', 'show', id);
  before(async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    await world.done('catalogue', 'import', folder.path);
  });

  it('shows by either identifier what is stored and served, and the last import', async () => {
    const shown = await show('art_0001');
    expect(await show('doc0001')).to.deep.equal(shown);
    expect(shown).to.deep.include({ document_id: 'doc0001', served: true, left_out: [] });
    expect(shown).to.have.nested.property('stored.name', 'Artist 0001');
    expect(shown).to.have.nested.property('last_import.actor', userName());
    expect(shown['series']).to.have.deep.members([
      {
        metric: 'monthly_listeners',
        points: 5,
        first: '2026-08-01',
        last: '2026-08-05',
        ...served,
      },
      {
        ...{ song_id: 'sng_0001', metric: 'streams', points: 5 },
        ...{ first: '2026-08-01', last: '2026-08-05', ...served },
      },
    ]);
  });

  it('says why an artist, a field or a series is not served', async () => {
    const artists = world.db.collection('artists');
    await artists.updateOne({ id: 'art_0001' }, { $set: { name: 7 } });
    await artists.updateOne({ id: 'art_0002' }, { $set: { country_code: 'Portugal' } });
    await world.db
      .collection('history')
      .updateOne({ artist_id: 'art_0002', song_id: null }, { $set: { metric: 'plays' } });
    expect(await show('art_0001'))
      .to.have.property('why')
      .that.matches(/^name: /);
    const text = await world.done('catalogue', 'show', 'doc0001');
    expect(text).to.match(/^served\s+no: name: .+; a gateway that read it before keeps serving /m);
    const { served: isServed, left_out, series } = await show('art_0002');
    expect(isServed).to.equal(true);
    expect(String(left_out)).to.match(/^country_code: /);
    expect(series).to.satisfy((all: Document[]) =>
      all.some(({ metric, why }) => metric === 'plays' && /^metric: /.test(String(why))),
    );
  });

  it('fails for an identifier that no stored artist has', async () => {
    expectRefusal(
      await world.run('catalogue', 'show', 'art_9'),
      /^No stored artist has the id or document identifier art_9\.$/,
    );
  });
});
