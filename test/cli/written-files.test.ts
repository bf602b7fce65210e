import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCopy, writeHeader, writeRows } from '../../adapters/stores/state/copy-file.ts';
import { useStarted } from '../support/cleanup.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import type { CommandResult } from '../support/cli/run.ts';
import { runWarm } from '../support/cli/run.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { rejectionOf } from '../support/wait.ts';

const header = { unit: 'keys', source: 'db', answeredAt: 1 };

const writeCopy = async (file: string): Promise<void> => {
  const path = file.replace(/\.json$/, '');
  await writeHeader(path, { ...header, ...(await writeRows(path, ['row'])) });
};

/**
 * Everything that writes a file: the file's name, and how it is told to. Each settles to why
 * nothing was written.
 */
interface Writer {
  readonly name: string;
  /** True if the folder is its own. Then no other user can write to it, unlike in /tmp. */
  readonly hasOwnFolder?: boolean;
  readonly write: (path: string) => Promise<string>;
}

const reasonOf = async (run: Promise<CommandResult>): Promise<string> => {
  const { code, stderr } = await run;
  return code === 0 ? '' : stderr;
};

describe('every file that the program writes', () => {
  const folder = useInputFolder();
  const gateway = useStarted(
    () => startGatewayProcess({}),
    ({ stop }) => stop(),
  );
  const world = useOperatorEnvironment();
  before(async () => {
    await world
      .collection('artists')
      .insertOne({ ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date() });
  });

  const compare = (...args: string[]): Promise<string> =>
    reasonOf(
      runWarm({ CURRENT_KEY: demoKey('qaCurrent') }, ['compare', '--case', 'health', ...args]),
    );
  const baseline = ['--write-baseline', '--reason', 'known', '--baseline'];
  const writers: Readonly<Record<string, Writer>> = {
    'a report': { name: 'report.html', write: (path) => compare('--html', path) },
    'a recording': {
      name: 'recording.json',
      write: (path) => compare('--form', 'current', '--base-url', gateway.url, '--record', path),
    },
    'a baseline': { name: 'baseline.json', write: (path) => compare(...baseline, path) },
    'a copy': {
      name: 'keys.json',
      hasOwnFolder: true,
      write: (path) => writeCopy(path).then(() => '', String),
    },
  };

  const makeFolder = async (name: string, mode = 0o700): Promise<string> => {
    const path = join(folder.path, name);
    await mkdir(path);
    await chmod(path, mode);
    return path;
  };

  for (const [what, { name, hasOwnFolder = false, write }] of Object.entries(writers)) {
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
      for (const planted of [name, `${name}.unfinished`, `${name}.tmp`])
        await symlink(target, join(inside, planted));
      expect(await write(join(inside, name))).not.to.equal('');
      expect(await readFile(target, 'utf8')).to.equal('mine');
    });

    it(`is made where others may neither write nor exchange files: ${what}`, async () => {
      const open = await makeFolder(`${name} open`, 0o777);
      expect(await write(join(open, name))).to.match(
        /every user may write to it|other users may write to it/,
      );
      expect(await readdir(open)).to.deep.equal([]);
      const sticky = await makeFolder(`${name} sticky`, 0o1777);
      expect((await write(join(sticky, name))) === '').to.equal(!hasOwnFolder);
    });
  }

  it('replaces a file that other users can write to, without writing into it', async () => {
    for (const { name, write } of Object.values(writers)) {
      const path = join(await makeFolder(`${name} prepared`), name);
      await writeFile(path, '[]');
      await chmod(path, 0o666);
      await link(path, `${path}.previous`);
      expect(await write(path)).to.equal('');
      expect((await stat(path)).mode & 0o777, name).to.equal(0o600);
      expect(await readFile(`${path}.previous`, 'utf8'), name).to.equal('[]');
    }
  });

  it('of an export is in a new 0700 folder; links and non-empty folders fail', async () => {
    const path = join(folder.path, 'exported');
    const exported = () => reasonOf(world.run('catalogue export', path));
    expect(await exported()).to.equal('');
    expect((await stat(path)).mode & 0o777).to.equal(0o700);
    expect((await stat(join(path, 'artists.ndjson'))).mode & 0o777).to.equal(0o600);
    expect(await exported()).to.match(/has files already/);
    await rm(path, { recursive: true });
    await symlink(await makeFolder('target'), path);
    expect(await exported()).to.match(/is a link/);
    const open = await makeFolder('open', 0o777);
    expect(await reasonOf(world.run('catalogue export', join(open, 'a')))).to.match(/every user/);
  });

  it('of a failed comparison is removed, also a previous one', async () => {
    const inside = await makeFolder('failing');
    await writeFile(join(inside, 'a.html'), 'previous');
    const reports = ['--html', join(inside, 'a.html'), '--junit', '/nowhere/report.xml'];
    expect(await compare(...reports)).not.to.equal('');
    expect(await readdir(inside)).to.deep.equal([]);
  });

  it('is refused as a copy when it is a link', async () => {
    const inside = await makeFolder('read');
    await writeCopy(join(inside, 'keys.json'));
    await symlink(join(inside, 'keys.json'), join(inside, 'other.json'));
    expect(await rejectionOf(readCopy(join(inside, 'other')))).to.equal('it is not a regular file');
  });
});
