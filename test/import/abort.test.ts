import { expect } from 'chai';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { run } from '../support/cli/run.ts';
import { openTerminal } from '../support/cli/terminal.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/wait.ts';

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

  it('waits no longer when it is interrupted', async () => {
    await folder.write('artists', artistDocuments(1));
    const expires_at = new Date(Date.now() + 80_000); // as one that is renewed
    await world.collection('leases').insertOne({ _id: 'import', holder: 'eve', expires_at });
    const ran = await run(world.settings, ['catalogue', 'import', folder.path], {
      onStderr: (text, child) => text.includes('Waiting') && !child.killed && child.kill('SIGINT'),
    });
    expect(ran.code, ran.stderr).to.equal(undefined);
    expect(ran.stderr).to.match(
      /^Waiting for another import \(eve, since undefined\)\.\nInterrupted: nothing was written\.\n$/,
    );
    expect(await artists()).to.deep.equal([]);
    expect(await locks(), 'of the other import').to.equal(1);
  });

  it('has released its lock when its terminal is closed, while it writes and while it asks', async () => {
    const count = 1_000; // more than are written until the screen has been read
    await folder.write('artists', artistDocuments(count));
    const startAndClose = async (shown: RegExp, args: readonly string[]): Promise<void> => {
      const terminal = await openTerminal(
        world.settings,
        ['catalogue', 'import', folder.path, ...args],
        {
          columns: 80,
        },
      );
      await until(`${shown} is shown`, async () => shown.test(await terminal.screen())).finally(
        terminal.close,
      );
      await until('the lock is released', async () => (await locks()) === 0);
    };
    await startAndClose(/Writing/, []);
    expect((await artists()).length).to.be.within(0, count - 1);
    await world.done('catalogue', 'import', folder.path);
    await folder.write('artists', artistDocuments(1));
    await startAndClose(/Remove 999 artists/, ['--prune']);
    expect(await artists()).to.have.length(count);
  });

  it('tells how many artists it has written when MongoDB fails meanwhile', async () => {
    const count = 2_000;
    await folder.write('artists', artistDocuments(count));
    const url = new URL(world.settings['MONGODB_URL'] ?? '');
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    let closed: Promise<void> | undefined;
    const settings = { ...world.settings, MONGODB_URL: url.href };
    const ran = await run(settings, ['catalogue', 'import', folder.path], {
      onStderr(text) {
        if (text.includes('Writing:')) closed ??= proxy.close();
      },
    });
    await closed;
    const [told = '', reason] = ran.stderr.trim().split('\n').slice(-2);
    expect(reason).to.match(/^(MongoDB cannot be reached|The connection to MongoDB broke)/);
    const [, least] =
      /^Part of it may be written: at least (\d+) of 2000 artists\. Run the same command again: it writes the rest\.$/.exec(
        told,
      ) ?? [];
    expect(Number(least), ran.stderr).to.be.above(0);
    expect((await artists()).length).to.be.within(Number(least), count - 1);
    expect(ran.code).to.equal(1);
  });

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
      const again = await world.json('catalogue', 'import', folder.path);
      expect(again).to.have.nested.property('artists.created', count - written);
    });
});
