import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { commitAll, copyProject, sizeOf } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/documents.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { rejectionOf } from '../support/wait.ts';

const sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ purl: z.string() }) }),
  components: z.array(z.object({ name: z.string() })),
});

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().optional(), hasInstallScript: z.boolean().optional() }),
  ),
});

describe('the npm package', () => {
  const cleanup = useCleanup(after);
  let folder: string;
  before(async () => {
    folder = await copyProject(await cleanup.makeFolder('copy'));
    await commitAll(folder);
  });

  const release = (...args: readonly string[]) => runProgram('./scripts/release.sh', args, folder);
  const readReleased = (name: string) => readFileSync(join(folder, 'release', name));
  const gitStatus = () => runProgram('git', ['status', '--porcelain'], folder);

  it('installs no package with a script that runs at its installation', () => {
    const lock = lockFile.parse(
      JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')),
    );
    const production = Object.entries(lock.packages).filter(
      ([path, { dev }]) => path !== '' && dev !== true,
    );
    expect(production).to.not.be.empty;
    expect(
      production.filter(([, { hasInstallScript }]) => hasInstallScript === true),
    ).to.deep.equal([]);
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(scripts).not.to.include.any.keys('preinstall', 'install', 'postinstall');
  });

  it('is released only with a version, and a failed release changes nothing', async () => {
    expect(await rejectionOf(release('next'))).to.include('name the version');
    expect(await gitStatus()).to.equal('');
  });

  it('is released with licences, an SBOM, notes and checksums', async () => {
    await release('9.8.7');
    const names = readdirSync(join(folder, 'release')).sort();
    expect(names).to.deep.equal([
      'SHA256SUMS',
      'THIRD-PARTY-LICENSES.txt',
      'artist-gateway-9.8.7.cdx.json',
      'artist-gateway-9.8.7.tgz',
      'notes.md',
    ]);
    const sums = [
      ...readReleased('SHA256SUMS')
        .toString()
        .matchAll(/^(\S+)\s+(\S+)$/gm),
    ];
    expect(sums).to.have.length(names.length - 1);
    for (const [, sum, name = ''] of sums) {
      expect(createHash('sha256').update(readReleased(name)).digest('hex'), name).to.equal(sum);
    }
    const { metadata, components } = sbom.parse(
      JSON.parse(readReleased('artist-gateway-9.8.7.cdx.json').toString()),
    );
    expect(metadata.component).to.deep.equal({ purl: 'pkg:npm/artist-gateway@9.8.7' });
    const inBom = components.map(({ name }) => name);
    expect(inBom).to.include.members(['koa', 'mongodb', 'ioredis', 'zod']).and.not.include('mocha');
    const licences = readReleased('THIRD-PARTY-LICENSES.txt')
      .toString()
      .matchAll(/^──── (.+)$/gm);
    expect(new Set(inBom)).to.deep.equal(new Set([...licences].map(([, name]) => name)));
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).to.match(/^## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d{2}-\d{2}\n/m);
    expect(changelog).to.include(readReleased('notes.md').toString().trim());
    expect(await runProgram('git', ['describe', '--tags', '--exact-match'], folder)).to.equal(
      'v9.8.7\n',
    );
    expect(await gitStatus()).to.equal('');
  });

  it('has the same bytes when its tag is built in another clone', async () => {
    const clone = join(await cleanup.makeFolder('clone'), 'clone');
    await runProgram('git', ['clone', '--quiet', '--branch', 'v9.8.7', folder, clone]);
    await symlink(join(folder, 'node_modules'), join(clone, 'node_modules'));
    await writeFile(
      join(clone, 'THIRD-PARTY-LICENSES.txt'),
      readReleased('THIRD-PARTY-LICENSES.txt'),
    );
    await runProgram('npm', ['run', '--silent', 'build'], clone);
    await runProgram('npm', ['pack', '--ignore-scripts'], clone);
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const again = sha256(readFileSync(join(clone, 'artist-gateway-9.8.7.tgz')));
    expect(again).to.equal(sha256(readReleased('artist-gateway-9.8.7.tgz')));
  });

  it('has its files written again only from a checkout of its version', async () => {
    expect(await rejectionOf(release('--files', '9.9.9'))).to.include('check out v9.9.9');
  });

  describe('installed without optional packages in a read-only folder', () => {
    let target: string;
    before(async () => {
      target = await cleanup.makeFolder('install');
      await writeFile(join(target, 'package.json'), '{ "private": true }');
      const options = '--no-audit --no-fund --prefer-offline --omit=optional'.split(' ');
      const tarball = join(folder, 'release', 'artist-gateway-9.8.7.tgz');
      await runProgram('npm', ['install', ...options, tarball], target);
      await runProgram('chmod', ['-R', 'a-w', target]);
      cleanup.add(target, () => runProgram('chmod', ['-R', 'u+w', target]));
    });

    it('has what the program reads, at most 6 MB', async () => {
      const packed = join(target, 'node_modules', 'artist-gateway');
      const licences = readReleased('THIRD-PARTY-LICENSES.txt').length;
      expect((await sizeOf(packed)) - licences).to.be.at.most(6_000_000);
      const names = 'CHANGELOG.md LICENSE README.md THIRD-PARTY-LICENSES.txt deploy dist docs';
      expect(readdirSync(packed).sort()).to.deep.equal(`${names} fixtures package.json`.split(' '));
    });

    it('serves both forms and its pages', async () => {
      const command = [join(target, 'node_modules', '.bin', 'artist-gateway'), 'serve'];
      const gateway = await cleanup.start(startGatewayProcess({}, { command }));
      for (const [id, begin] of [
        ['curFull01', '{"data":[{"id":'],
        ['varFull01', '{"success":true,'],
      ] as const)
        expect((await gateway.get('/api/v1/artists?limit=1', demoKey(id))).body).to.satisfy(
          (body: string) => body.startsWith(begin),
        );
      for (const page of ['/docs', '/docs/migration', '/openapi.json', '/openapi.variant.json'])
        expect((await gateway.get(page)).status, page).to.equal(200);
      await gateway.stop();
    });

    it('logs JSON on a terminal', async () => {
      expect(existsSync(join(target, 'node_modules', 'pino-pretty'))).to.equal(false);
      const module = pathToFileURL(
        join(target, 'node_modules/artist-gateway/dist/adapters/telemetry/log.js'),
      );
      const program = `const { openLog } = await import('${module}');
        (await openLog('info', Object.assign(process.stdout, { isTTY: true }))).info({ port: 1 }, 'listening');`;
      const args = ['--input-type=module', '--eval', program];
      const written = await runProgram(process.execPath, args, target);
      expect(JSON.parse(written)).to.include({ msg: 'listening', port: 1 });
    });
  });
});
