import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeOwnFolder } from '../../adapters/files/own-file.ts';
import { useCleanup } from '../support/cleanup.ts';
import { rejectionOf } from '../support/wait.ts';

describe('makeOwnFolder', () => {
  const cleanup = useCleanup(after);
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('creates the folder and its parents with mode 0700', async () => {
    const above = join(await cleanup.makeFolder('own'), 'a');
    const folder = join(above, 'b', 'c');
    await Promise.all([makeOwnFolder(folder), makeOwnFolder(`${folder}/`)]);
    for (const path of [above, join(above, 'b'), folder])
      expect(await modeOf(path), path).to.equal(0o700);
  });

  it('keeps the mode of an existing folder', async () => {
    const folder = join(await cleanup.makeFolder('own'), 'a');
    await mkdir(folder, { mode: 0o750 });
    await makeOwnFolder(folder);
    expect(await modeOf(folder)).to.equal(0o750);
  });

  it('rejects with the file system error if a file is in the way', async () => {
    const file = join(await cleanup.makeFolder('own'), 'file');
    await writeFile(file, '');
    expect(await rejectionOf(makeOwnFolder(file))).to.match(/^EEXIST: /);
    expect(await rejectionOf(makeOwnFolder(join(file, 'a', 'b')))).to.match(/^ENOTDIR: /);
    expect(await rejectionOf(makeOwnFolder('/proc/gateway/a'))).to.match(/^(ENOENT|EACCES): /);
  });
});
