import { expect } from 'chai';
import { noCounts } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

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
    expect(stdout)
      .to.match(/^level\tcreated\t/)
      .and.to.include('artists\t3\t0\t0\t0\t0\t0\n');
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
      remarks: [],
    });
  });

  it('writes nothing when one of 3,000 lines is bad, and names file, line, id, name and member', async () => {
    const documents = artistDocuments(3_000);
    documents[1_999] = { ...documents[1_999], metrics: { monthly_listeners: 'x' } };
    const file = await folder.write('artists', documents);
    const ran = await world.run('catalogue', 'import', file);
    expectRefusal(
      ran,
      /^1 mistake in 1 document: nothing was written\. Correct it and run it again\.$/,
    );
    const listed = `file\tline\tid\tname\tmember\twhy\n${file}\t2000\tart_2000\tArtist 2000\tmetrics.monthly_listeners\t`;
    expect(ran.stdout.startsWith(listed), ran.stdout).to.equal(true);
    expect(await artists()).to.equal(3);
  });

  it('asks before it removes: without a terminal it changes nothing, with --yes it removes', async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    const asked = await world.run('catalogue', 'import', folder.path, '--prune');
    expectRefusal(
      asked,
      /^Remove 1 artist and 2 series that the input no longer has\? Not a terminal: nothing was changed\. Re-run with --yes\.$/,
    );
    expect(await artists()).to.equal(3);
    expect(
      await world.json('catalogue', 'import', folder.path, '--prune', '--yes'),
    ).to.deep.include({
      artists: { ...noCounts, unchanged: 2, removed: 1 },
      series: { ...noCounts, unchanged: 4, removed: 2 },
    });
    expect(await artists()).to.equal(2);
  });
});
