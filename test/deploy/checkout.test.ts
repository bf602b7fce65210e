import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { copyProject, projectFolder } from '../support/deploy/working-copy.ts';

describe('a checkout', () => {
  const cleanup = createCleanup();
  after(() => cleanup.run());

  it('runs "npx artist-gateway" after every build', async () => {
    const folder = cleanup.addFolder(await copyProject());
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
    const cache = await cleanup.makeFolder('npm'); // npx remembers there that it made the program of the first build executable
    for (const [build, make] of [
      ['the build of the project', () => cp(join(projectFolder, 'dist'), join(folder, 'dist'), { recursive: true })],
      ['another build', () => runProgram('npm', ['run', 'build'], folder)],
    ] as const) {
      await make();
      const version = await runProgram('npx', ['--cache', cache, 'artist-gateway', '--version'], folder);
      expect(version, build).to.match(/^\d+\.\d+\.\d+\n$/);
    }
  });
});
