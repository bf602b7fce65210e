import { expect } from 'chai';
import { documentSchema } from '../../tools/import/document-rules.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

describe('catalogue', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder();

  it('schema prints the JSON Schema of a collection', async () => {
    const printed = await world.done('catalogue', 'schema', 'artists');
    expect(JSON.parse(printed)).to.deep.equal(documentSchema('artists'));
  });

  it('validate reports file, line, member and reason of every error, also as JSON', async () => {
    const [first = {}, second = {}] = artistDocuments(2);
    const array = JSON.stringify([first, { ...second, tier: 'famous' }], null, 1);
    const artists = await folder.writeText('artists.json', array);
    const line = array.split('\n').lastIndexOf(' {') + 1;
    const [own = {}] = seriesDocuments(1);
    const text = `${JSON.stringify({ ...own, metric: 'streams', song_id: 'gone' })}\n${JSON.stringify(own)}\n{"artist_id":}\n[]\n`;
    const series = await folder.writeText('history.ndjson', text);
    const ran = await world.run('catalogue', 'validate', folder.path);
    expectRefusal(ran, /^4 errors in 4 documents: an import would write nothing\.$/);
    const [, ...found] = ran.stdout.trim().split('\n');
    const reason = '"famous"; expected one of watch';
    expect(found[0]).to.match(
      new RegExp(`^${artists}\t${line}\tart_0002\tArtist 0002\ttier\t${reason}`),
    );
    // found last
    expect(found[1]).to.match(new RegExp(`^${series}\t1\tart_0001 gone\tstreams\tsong_id\t`));
    expect(found[2]).to.match(new RegExp(`^${series}\t3\t\t\tdocument\tis not JSON`));
    expect(found[3]).to.match(new RegExp(`^${series}\t4\t`));
    const asJson = await world.run('catalogue', 'validate', folder.path, '--json');
    expect(asJson.code).to.equal(1);
    const { refused, ...counts } = JSON.parse(asJson.stdout);
    expect(counts).to.deep.equal({ artists: 1, series: 1, labels: 0, warnings: [] });
    expect(refused[0]).to.include({
      file: artists,
      line,
      id: 'art_0002',
      name: 'Artist 0002',
      member: 'tier',
    });
    expect(refused[0].reason).to.match(new RegExp(`^${reason}`));
    expect(refused[1]).to.include({ file: series, line: 3, member: 'document' });
  });

  it('indexes --dry-run fails while indexes are missing, and indexes creates them', async () => {
    expectRefusal(
      await world.run('catalogue', 'indexes', '--dry-run'),
      /missing: "artist-gateway catalogue indexes"/,
    );
    expect(await world.done('catalogue', 'indexes')).to.include('history.series\tcreated');
  });
});
