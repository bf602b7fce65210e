import { expect } from 'chai';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { run } from '../support/cli/run.ts';

describe('catalogue import, interrupted', () => {
  const world = useOperatorEnvironment({}, true);
  const folder = useInputFolder(true);
  const artists = () => world.db.collection('artists').find({}).toArray();
  const locks = () => world.db.collection('leases').countDocuments({});

  /**
   * Ends the command as soon as it reports that it has written the first artists, with a signal
   * that comes twice, as Ctrl-C does below npm. Resolves to its standard error.
   */
  const importAndKill = async (signal: NodeJS.Signals): Promise<string> => {
    const ran = await run(world.settings, ['catalogue', 'import', folder.path], {
      onStderr(text, child) {
        if (!text.includes('Writing:') || child.killed) return;
        child.kill(signal);
        setTimeout(() => child.kill(signal), 2);
      },
    });
    expect(ran.code, ran.stderr).to.equal(undefined);
    return ran.stderr;
  };

  for (const [signal, title] of [
    ['SIGINT', 'on Ctrl-C'],
    ['SIGTERM', 'when it is asked to end'],
  ] as const)
    it(`tells ${title} how many artists it has written, releases its lock, and a second run adds the rest`, async () => {
      const count = 500;
      await folder.write('artists', artistDocuments(count));
      await folder.write('history', seriesDocuments(count));
      const stderr = await importAndKill(signal);
      expect(await locks()).to.equal(0);
      const written = (await artists()).length;
      expect(written).to.be.within(1, count - 1);
      expect(stderr.trim().split('\n').at(-1)).to.equal(
        `Interrupted: ${written} of ${count} artists are written. Run the same command again: it writes the rest.`,
      );
      const [began] = await world.json<readonly object[]>('catalogue', 'log');
      expect(began).to.have.deep.property('added', { artists: count, series: 2 * count });
      expect(began).to.have.property('stopped', stderr.trim().split('\n').at(-1));
      const again = await world.json('catalogue', 'import', folder.path);
      expect(again).to.have.nested.property('artists.created', count - written);
    });
});
