import { join } from 'node:path';
import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { userName } from '../../tools/cli/shared-options.ts';
import { noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { run } from '../support/cli/run.ts';

describe('catalogue import', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder();
  const artists = () => world.db.collection('artists').countDocuments({});
  const runImport = (...options: string[]) =>
    world.run('catalogue', 'import', folder.path, ...options);
  const write = async (count: number, labels: readonly Document[] = []) => {
    await folder.write('artists', artistDocuments(count));
    await folder.write('history', seriesDocuments(count));
    await folder.write('labels', labels);
  };

  before(() => write(3, [{ name: 'Tidemark', aliases: [] }]));

  it('prints changes with --dry-run, and writes nothing', async () => {
    const { code, stdout, stderr } = await runImport('--dry-run');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^change\tcollection\t/);
    expect(stderr).to.match(
      /Dry run, nothing was written\. An import now: added 3 artists, 6 series and 1 label\.\n$/,
    );
    expect(await artists()).to.equal(0);
  });

  it('prints progress as plain lines to a pipe', async () => {
    expect((await runImport()).stderr).to.match(
      /^Comparing: 3 of 3 artists\nWriting: 3 of 3 artists\nImported in \d+\.\d s, none refused: added 3 artists, 6 series and 1 label\.\n$/,
    );
  });

  it('counts everything as unchanged the second time', async () => {
    const unchanged = (count: number) => ({ ...noCounts, unchanged: count });
    expect(await world.json('catalogue', 'import', folder.path)).to.deep.equal({
      ...{ artists: unchanged(3), series: unchanged(6), days: unchanged(30), members: noCounts },
      ...{ labels: unchanged(1), orphans: { kept: 0, removed: 0 }, refused: [], warnings: [] },
    });
  });

  it('writes nothing if one of 3,000 lines is invalid, and names it', async () => {
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

  it('removes only after confirmation, and more than a tenth only with the number', async () => {
    await write(2);
    const prune = (...options: string[]) => runImport('--prune', ...options);
    const tooMany =
      '--prune removes 1 of 3 artists, 2 of 6 series and 1 of 1 labels, more than a tenth: it needs --prune-at-most 2.';
    for (const most of [[], ['--prune-at-most', '1']])
      expectRefusal(await prune('--yes', ...most), new RegExp(`^Nothing was written. ${tooMany}$`));
    expect((await prune('--dry-run')).stderr).to.include(tooMany);
    const most = ['--prune-at-most', '2'];
    expectRefusal(
      await prune(...most),
      /^Remove 1 artist, 2 series and 1 label that the input no longer has\? Not a terminal: .+ with --yes\.$/,
    );
    expect(await artists()).to.equal(3);
    expect(JSON.parse((await prune(...most, '--yes', '--json')).stdout)).to.deep.include({
      artists: { ...noCounts, unchanged: 2, removed: 1 },
      series: { ...noCounts, unchanged: 4, removed: 2 },
    });
    expect(await artists()).to.equal(2);
  });

  it('logs who imported which files, and what changed', async () => {
    const [first, ...others] = await world.json<readonly object[]>('catalogue', 'log');
    expect(first).to.deep.include({
      actor: userName(),
      files: ['artists', 'history', 'labels'].map((name) => join(folder.path, `${name}.ndjson`)),
      added: { artists: 3, series: 6, labels: 1 },
      changed: {},
      removed: {},
    });
    expect(others.at(-1)).to.deep.include({ removed: { artists: 1, series: 2, labels: 1 } });
    const listed = await world.done('catalogue', 'log', '--limit', '1');
    expect(listed.split('\n')[1]).to.match(
      /^20.+Z\t.+\t.+artists\.ndjson, .+\t\t\t1 artist, 2 series, 1 label\t$/,
    );
  });

  it('lists twenty old and new values with --dry-run, and all with --json', async () => {
    const [artist, second = {}] = artistDocuments(2);
    const songs = [{ id: 'sng_0001', name: 'Renamed', metrics: {} }];
    await folder.write('artists', [{ ...artist, songs, genres: ['pop'] }, second]);
    await folder.write('history', seriesDocuments(2, { points: 6, add: 1 }));
    const { changes } = JSON.parse((await runImport('--dry-run', '--json')).stdout);
    expect(changes).to.have.length(2 + 4 * 6);
    const changed = { change: 'changed', collection: 'artists', document: 'art_0001' };
    const day = { collection: 'history', document: 'art_0002 sng_0002 streams' };
    expect(changes).to.deep.include.members([
      { ...changed, member: 'songs.sng_0001.name', old: 'Song', new: 'Renamed' },
      { ...changed, member: 'genres', new: ['pop'] },
      { ...changed, ...day, member: 'points.2026-08-01.value', old: 1000, new: 1001 },
    ]);
    const { stdout, stderr } = await runImport('--dry-run');
    expect(stdout.split('\n').filter((line) => /^(changed|added)\t/.test(line))).to.have.length(20);
    expect(stderr).to.include('6 more changes: --json lists all.');
  });

  it('moves days of the example catalogue to today with --days-to-today', async () => {
    await world.done('catalogue', 'import', fixtureFolder, '--days-to-today');
    const today = dayOf(Date.now());
    const added = await world.db.collection('artists').findOne({ id: 'art_0dk5mb' });
    expect(added?.['date_added']).to.be.oneOf([today, addDays(today, -1)]);
    const series = { artist_id: 'art_4jt8re', metric: 'monthly_listeners' };
    const points = (await world.db.collection('history').findOne(series))?.['points'];
    expect(points.at(-1).date).to.equal(added?.['date_added']);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`prints the number of written artists on ${signal}; a second run adds the rest`, async () => {
      for (const name of ['artists', 'history', 'import_log'])
        await world.db.collection(name).deleteMany({});
      const count = 300;
      await write(count);
      // perhaps twice, as Ctrl-C sends it below npm
      const { code, stderr } = await run(world.settings, ['catalogue', 'import', folder.path], {
        onStderr(text, child) {
          if (text.includes('Writing:')) child.kill(signal);
        },
      });
      expect(code, stderr).to.equal(undefined);
      expect(await world.db.collection('leases').countDocuments({})).to.equal(0);
      const written = await artists();
      expect(written).to.be.within(1, count - 1);
      const stopped = `Interrupted: ${written} of ${count} artists are written. Run the same command again: it writes the rest.`;
      expect(stderr.trim().split('\n').at(-1)).to.equal(stopped);
      const [began] = await world.json<readonly object[]>('catalogue', 'log');
      expect(began).to.deep.include({ added: { artists: count, series: 2 * count }, stopped });
      const again = await world.json('catalogue', 'import', folder.path);
      expect(again).to.have.nested.property('artists.created', count - written);
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

  it('prints what is stored and served by either id, and the last import', async () => {
    const shown = await show('art_0001');
    expect(await show('doc0001')).to.deep.equal(shown);
    expect(shown).to.deep.include({ document_id: 'doc0001', served: true, left_out: [] });
    expect(shown).to.have.nested.property('stored.name', 'Artist 0001');
    expect(shown).to.have.nested.property('last_import.actor', userName());
    const days = { points: 5, first: '2026-08-01', last: '2026-08-05', served: true, left_out: [] };
    expect(shown['series']).to.have.deep.members([
      { metric: 'monthly_listeners', ...days },
      { song_id: 'sng_0001', metric: 'streams', ...days },
    ]);
  });

  it('prints why an artist, a field or a series is not served', async () => {
    const set = (name: string, filter: object, change: object) =>
      world.db.collection(name).updateOne(filter, { $set: change });
    await set('artists', { id: 'art_0001' }, { name: 7 });
    await set('artists', { id: 'art_0002' }, { country_code: 'Portugal' });
    await set('history', { artist_id: 'art_0002', song_id: null }, { metric: 'plays' });
    expect((await show('art_0001'))['why']).to.match(/^name: /);
    expect(await world.done('catalogue', 'show', 'doc0001')).to.match(
      /^served\s+no: name: .+; a gateway that read it before keeps serving /m,
    );
    const shown = await show('art_0002');
    expect(shown).to.include({ served: true });
    expect(String(shown['left_out'])).to.match(/^country_code: /);
    expect(JSON.stringify(shown['series'])).to.match(/"metric":"plays"[^}]*"why":"metric: /);
  });

  it('fails for an id that no stored artist has', async () => {
    expectRefusal(
      await world.run('catalogue', 'show', 'art_9'),
      /^No stored artist has the id or document identifier art_9\.$/,
    );
  });
});
