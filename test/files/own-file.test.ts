import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeOwnFolder } from '../../adapters/files/own-file.ts';
import { useCleanup } from '../support/cleanup.ts';
import { rejectionOf } from '../support/wait.ts';

describe('a folder that only the user of the process may write to', () => {
  const cleanup = useCleanup(after);
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('is made with those above it, each with mode 0700', async () => {
    const above = join(await cleanup.makeFolder('own'), 'a');
    const folder = join(above, 'b', 'c');
    await Promise.all([makeOwnFolder(folder), makeOwnFolder(`${folder}/`)]);
    for (const path of [above, join(above, 'b'), folder])
      expect(await modeOf(path), path).to.equal(0o700);
  });

  it('may be there, and keeps its mode', async () => {
    const folder = join(await cleanup.makeFolder('own'), 'a');
    await mkdir(folder, { mode: 0o750 });
    await makeOwnFolder(folder);
    expect(await modeOf(folder)).to.equal(0o750);
  });

  it('is refused with the cause of the file system where a file is in its way', async () => {
    const file = join(await cleanup.makeFolder('own'), 'file');
    await writeFile(file, '');
    expect(await rejectionOf(makeOwnFolder(file))).to.match(/^EEXIST: /);
    expect(await rejectionOf(makeOwnFolder(join(file, 'a', 'b')))).to.match(/^ENOTDIR: /);
    expect(await rejectionOf(makeOwnFolder('/proc/gateway/a'))).to.match(/^(ENOENT|EACCES): /);
  });
});
