import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { createCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { commitAll, copyProject, copyProjectWithPackages } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

const megabyte = 1_000_000;

const packed = z.tuple([
  z.object({ filename: z.string(), unpackedSize: z.int(), files: z.array(z.object({ path: z.string() })) }),
]);

/** Bytes of the files in a folder. */
const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
};

describe('the npm package', () => {
  const cleanup = createCleanup();
  after(() => cleanup.run());

  const addFolder = (folder: string): string => cleanup.add(folder, () => rm(folder, { recursive: true, force: true }));

  /** Installs the gateway from a tarball or a git address into a folder of its own, and returns the folder. */
  const install = async (address: string): Promise<string> => {
    const folder = addFolder(await mkdtemp(join(tmpdir(), 'artist-gateway-install-')));
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await runProgram('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', address], folder);
    return folder;
  };

  /** Starts an installed gateway and asks it a question in each form. */
  const expectAnswers = async (folder: string): Promise<void> => {
    const program = join(folder, 'node_modules', '.bin', 'artist-gateway');
    const gateway = await startGatewayProcess({}, { program });
    try {
      expect((await gateway.get('/api/v1/artists?limit=1', demoKey('curFull01'))).body).to.match(/^\{"data":\[\{"id":/);
      expect((await gateway.get('/api/v1/artists?limit=1', demoKey('varFull01'))).body).to.match(/^\{"success":true,/);
      for (const page of ['/docs', '/docs/migration', '/openapi.json', '/openapi.variant.json']) {
        expect((await gateway.get(page)).status, page).to.equal(200);
      }
    } finally {
      await gateway.stop();
    }
  };

  it('holds the program and what it reads, at most 2 MB, and answers in both forms from a read-only folder', async () => {
    const copy = addFolder(await copyProjectWithPackages());
    const [{ filename, unpackedSize, files }] = packed.parse(
      JSON.parse(await runProgram('npm', ['pack', '--json'], copy)),
    );
    expect(unpackedSize).to.be.at.most(2 * megabyte);
    const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.split('/')[0] : path)));
    expect([...folders].sort()).to.deep.equal([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'examples',
      'fixtures',
      'package.json',
    ]);
    const folder = await install(join(copy, filename));
    await runProgram('chmod', ['-R', 'a-w', folder]);
    cleanup.add(folder, () => runProgram('chmod', ['-R', 'u+w', folder]));
    await expectAnswers(folder);
  });

  it('can be installed from a git repository, which builds it', async () => {
    const copy = addFolder(await copyProject());
    await commitAll(copy);
    await expectAnswers(await install(`git+file://${copy}`));
  });

  it('needs at most 35 MB of other packages in production, and no database for tests', async () => {
    const copy = addFolder(await copyProject());
    await runProgram('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'], copy);
    const folder = join(copy, 'node_modules');
    expect(await sizeOf(folder)).to.be.at.most(35 * megabyte);
    const forTests = ['@jongodb', 'mocha', 'typescript'];
    expect((await readdir(folder)).filter((name) => forTests.includes(name))).to.deep.equal([]);
  });
});
