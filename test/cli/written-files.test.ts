import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCopy, writeCopy } from '../../adapters/stores/state/copy-file.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { useStarted } from '../support/cleanup.ts';
import { plantFleet, storeFleet } from '../support/cli/fleet.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { createOperatorEnvironment, type OperatorEnvironment } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

const header = { unit: 'keys', source: 'db', program: '1', answeredAt: 0 };

/** Everything that writes a file: how it is told to, and the file's name. Each settles to why nothing was written. */
interface Writer {
  readonly what: string;
  readonly name: string;
  /** Whether the folder is its own; then no other user may write to it, be it as in /tmp. */
  readonly hasOwnFolder?: boolean;
  readonly write: (path: string) => Promise<string>;
}

describe('every file that the program writes', function () {
  this.timeout(60_000);
  const folder = useInputFolder();
  const gateway = useStarted(
    () => startGatewayProcess({}),
    ({ stop }) => stop(),
  );
  let world: OperatorEnvironment;
  before(async () => {
    world = await createOperatorEnvironment();
    const [artist = {}] = artistDocuments(1);
    await world.db.collection('artists').insertOne({ ...artist, updated_at: new Date('2026-08-22T00:00:00Z') });
    await storeFleet(world, plantFleet(1, systemClock().now()));
  });
  after(() => world.stop());

  const compare = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runWarm({ CURRENT_KEY: demoKey('qaCurrent') }, [
      'compare',
      '--case',
      'health',
      ...args,
    ]);
    return code === 0 ? '' : stderr;
  };
  const record = (path: string): Promise<string> =>
    compare('--form', 'current', '--base-url', gateway.url, '--record', path);
  const baseline = ['--write-baseline', '--reason', 'known', '--baseline'];
  const writers: readonly Writer[] = [
    { what: 'a page', name: 'report.html', write: (path) => compare('--html', path) },
    { what: 'a JUnit report', name: 'report.xml', write: (path) => compare('--junit', path) },
    { what: 'a Markdown report', name: 'report.md', write: (path) => compare('--markdown', path) },
    { what: 'a recording', name: 'recording.json', write: record },
    { what: 'a baseline', name: 'baseline.json', write: (path) => compare(...baseline, path) },
    {
      what: 'a copy',
      name: 'keys.copy',
      hasOwnFolder: true,
      write: (path) =>
        writeCopy(path, header, ['row']).then(
          () => '',
          (failure: Error) => failure.message,
        ),
    },
    {
      what: 'an export',
      name: 'artists.ndjson',
      hasOwnFolder: true,
      async write(path) {
        const { code, stderr } = await world.run('catalogue', 'export', join(path, '..'));
        return code === 0 ? '' : stderr;
      },
    },
    {
      what: 'a letter of the fleet',
      name: 'fleet000.html',
      hasOwnFolder: true,
      async write(path) {
        const { code, stderr } = await world.run('readiness', '--html', '--letters', join(path, '..'));
        return code === 0 ? '' : stderr;
      },
    },
  ];

  const makeFolder = async (name: string, mode = 0o700): Promise<string> => {
    const path = join(folder.path, name);
    await mkdir(path);
    await chmod(path, mode);
    return path;
  };

  for (const { what, name, hasOwnFolder = false, write } of writers) {
    it(`is read and written by its own user alone: ${what}`, async () => {
      const path = join(await makeFolder(`${name} new`), name);
      expect(await write(path)).to.equal('');
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      expect((await lstat(path)).isFile()).to.equal(true);
    });

    it(`is never written through a link: ${what}`, async () => {
      const inside = await makeFolder(`${name} linked`);
      const target = join(folder.path, `${name} target`);
      await writeFile(target, 'mine');
      for (const planted of [name, `${name}.unfinished`, `${name}.tmp`]) await symlink(target, join(inside, planted));
      expect(await write(join(inside, name))).not.to.equal('');
      expect(await readFile(target, 'utf8')).to.equal('mine');
    });

    it(`is not made in a folder that every user may write to: ${what}`, async () => {
      const inside = await makeFolder(`${name} open`, 0o777);
      expect(await write(join(inside, name))).to.match(/every user may write to it|other users may write to it/);
      expect(await readdir(inside)).to.deep.equal([]);
    });

    it(`${hasOwnFolder ? 'is not' : 'is'} made where others may make files and not exchange them: ${what}`, async () => {
      const inside = await makeFolder(`${name} sticky`, 0o1777);
      expect((await write(join(inside, name))) === '').to.equal(!hasOwnFolder);
    });
  }

  for (const { what, name, write } of writers.filter(({ what }) => what !== 'an export')) {
    it(`takes the place of a file that others may write to, and is not written into it: ${what}`, async () => {
      const path = join(await makeFolder(`${name} prepared`), name);
      await writeFile(path, '[]');
      await chmod(path, 0o666);
      const { ino } = await stat(path);
      expect(await write(path)).to.equal('');
      const written = await stat(path);
      expect(written.mode & 0o777).to.equal(0o600);
      expect(written.ino).not.to.equal(ino);
    });
  }

  it('of an export has a folder with mode 0700 when it makes one, and is never written through a link to a name that it uses meanwhile', async () => {
    const path = join(folder.path, 'exported');
    expect((await world.run('catalogue', 'export', path)).code).to.equal(0);
    expect((await stat(path)).mode & 0o777).to.equal(0o700);
    const inside = await makeFolder('planted');
    const target = join(folder.path, 'planted target');
    await symlink(target, join(inside, 'artists.ndjson.unfinished'));
    expect((await world.run('catalogue', 'export', inside)).code).to.equal(0);
    expect(await readdir(folder.path)).not.to.include('planted target');
  });

  it('of a comparison that fails leaves nothing of a report', async () => {
    const inside = await makeFolder('failing');
    expect(await compare('--html', join(inside, 'a.html'), '--junit', '/nowhere/report.xml')).not.to.equal('');
    expect(await readdir(inside)).to.deep.equal([]);
  });

  it('is refused as a copy when it is a link', async () => {
    const inside = await makeFolder('read');
    await writeCopy(join(inside, 'keys.copy'), header, ['row']);
    await symlink(join(inside, 'keys.copy'), join(inside, 'other.copy'));
    const reason = await readCopy(join(inside, 'other.copy')).then(
      () => 'read',
      (failure: Error) => failure.message,
    );
    expect(reason).to.equal('it is no regular file');
  });
});
