import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { commitAll, copyProject, projectFolder } from '../support/deploy/working-copy.ts';
import { rejectionOf } from '../support/wait.ts';

describe('a checkout', () => {
  const cleanup = useCleanup(afterEach);
  let folder: string;
  beforeEach(async () => {
    folder = await copyProject(await cleanup.makeFolder('copy'));
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  });

  it('runs `npx artist-gateway` after every build', async () => {
    // npx remembers there that it made the program of the first build executable
    const cache = await cleanup.makeFolder('npm');
    const version = () =>
      runProgram('npx', ['--cache', cache, 'artist-gateway', '--version'], folder);
    await cp(join(projectFolder, 'dist'), join(folder, 'dist'), { recursive: true });
    expect(await version(), 'the build of the project').to.match(/^\d+\.\d+\.\d+\n$/);
    await runProgram('npm', ['run', 'build'], folder);
    expect(await version(), 'the build of the copy').to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('keeps the program of the last build until the next one succeeds', async () => {
    await cp(join(projectFolder, 'dist'), join(folder, 'dist'), { recursive: true });
    const source = join(folder, 'src/domain/day.ts');
    const text = await readFile(source, 'utf8');
    await writeFile(source, `${text}export const wrong: number = 'none';\n`);
    expect(await rejectionOf(runProgram('npm', ['run', 'build'], folder))).to.include('TS2322');
    const program = join(folder, 'dist/tools/cli/artist-gateway.js');
    expect(await runProgram(program, ['--version'])).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(await readFile(join(folder, 'dist/src/domain/day.js'), 'utf8')).to.not.include('wrong');
    await writeFile(source, text);
    expect((await readdir(folder)).filter((name) => name.startsWith('dist'))).to.deep.equal([
      'dist',
    ]);
    await runProgram('git', ['check-ignore', 'dist.1'], projectFolder);
  });

  it('publishes breaking contract changes only with --breaks, and reverts them', async () => {
    const freeze = (...args: string[]) =>
      runProgram('npm', ['run', '--silent', 'contracts:freeze', '--', ...args], folder);
    const wire = join(folder, 'adapters/forms/current/wire.ts');
    const log = join(folder, 'docs/site/changes.json');
    const [code, before] = [await readFile(wire, 'utf8'), await readFile(log, 'utf8')];
    await commitAll(folder);
    const breaking = code.replace(
      "name: z.string().describe('Title of the song'),",
      'name: z.int(),',
    );
    expect(breaking).to.not.equal(code);
    await writeFile(wire, breaking);
    expect(await rejectionOf(freeze('Names are numbers.'))).to.match(
      /BREAKS CLIENTS: .*Not frozen.*--breaks/s,
    );
    expect(await readFile(log, 'utf8'), 'nothing is written').to.equal(before);
    await freeze('--breaks', 'Names are numbers.');
    expect(await readFile(log, 'utf8')).to.include('Names are numbers.');
    await writeFile(wire, code);
    await freeze();
    expect(await readFile(log, 'utf8')).to.equal(before);
    expect(await runProgram('git', ['status', '--porcelain'], folder)).to.equal('');
  });
});
