import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { createCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { commitAll, copyProject, projectFolder } from '../support/deploy/working-copy.ts';

const sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(z.object({ name: z.string() })),
});

describe('a release', () => {
  const cleanup = createCleanup();
  let folder: string;
  before(async () => {
    folder = cleanup.add(await copyProject(), (path) => rm(path, { recursive: true }));
    await commitAll(folder);
  });
  after(() => cleanup.run());

  const release = (version: string) => runProgram('./scripts/release.sh', [version], folder);
  const readReleased = (name: string) => readFileSync(join(folder, 'release', name));

  it('is refused without a version, and leaves the checkout as it was when a step fails', async () => {
    await runProgram('./scripts/release.sh', ['next'], folder).then(
      () => expect.fail('it was not refused'),
      (failure: Error) => expect(failure.message).to.include('name the version'),
    );
    expect(await runProgram('git', ['status', '--porcelain'], folder)).to.equal('');
  });

  it('makes a package, its licences, an SBOM, notes and checksums, and commits and tags the version', async () => {
    await release('9.8.7');
    const names = readdirSync(join(folder, 'release')).sort();
    expect(names).to.deep.equal([
      'SHA256SUMS',
      'THIRD-PARTY-LICENSES.txt',
      'artist-gateway-9.8.7.cdx.json',
      'artist-gateway-9.8.7.tgz',
      'notes.md',
    ]);
    const sums = readReleased('SHA256SUMS')
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(sums).to.have.length(names.length - 1);
    for (const [sum, name = ''] of sums) {
      expect(createHash('sha256').update(readReleased(name)).digest('hex'), name).to.equal(sum);
    }
    const { metadata, components } = sbom.parse(JSON.parse(readReleased('artist-gateway-9.8.7.cdx.json').toString()));
    expect(metadata.component).to.include({ name: 'artist-gateway', version: '9.8.7' });
    const inBom = components.map(({ name }) => name);
    expect(inBom).to.include.members(['koa', 'mongodb', 'ioredis', 'zod']).and.not.include('mocha');
    const licences = readReleased('THIRD-PARTY-LICENSES.txt').toString();
    expect(inBom.filter((name) => !licences.includes(name))).to.deep.equal([]);
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).to.match(/^## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d{2}-\d{2}\n/m);
    expect(changelog).to.include(readReleased('notes.md').toString().trim());
    expect(await runProgram('git', ['describe', '--tags', '--exact-match'], folder)).to.equal('v9.8.7\n');
    expect(await runProgram('git', ['status', '--porcelain'], folder)).to.equal('');
    expect(await runProgram('tar', ['tzf', 'release/artist-gateway-9.8.7.tgz'], folder)).to.include(
      'THIRD-PARTY-LICENSES.txt',
    );
  });
});

const workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      strategy: z.object({ matrix: z.object({ line: z.array(z.string()) }) }).optional(),
      steps: z.array(z.object({ run: z.string().optional() })),
    }),
  ),
});

describe('the workflow', () => {
  it('runs scripts/test.sh and nothing of its own, on every supported line of Node', () => {
    const { jobs } = workflow.parse(parse(readFileSync(join(projectFolder, '.github', 'workflows', 'ci.yml'), 'utf8')));
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(runs).to.deep.equal(['./scripts/test.sh', `./scripts/test.sh --node \${{ matrix.line }}`]);
    expect(jobs['node']?.strategy?.matrix.line).to.deep.equal(['20.19', '22', '24']);
  });
});
