import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { adapterName } from '../adapters/reference/site-files.ts';
import { bundleForPartners } from './partner-bundle.ts';

const out = `dist.${process.pid}`;

const digestOf = (folder: string): string => {
  const digest = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.js')) digest.update(name).update(readFileSync(`${folder}/${name}`));
  return digest.digest('hex').slice(0, 12);
};

/**
 * Compiles the program into `dist` and writes its pages into `dist/site`. Commands use the previous
 * build until this one is complete.
 */
try {
  const { status, error } = spawnSync(
    'tsc',
    ['--project', 'scripts/tsconfig.build.json', '--outDir', out],
    {
      stdio: 'inherit',
    },
  );
  if (error !== undefined) throw error; // without npm, no `tsc` is in the path
  if (status === 0) {
    writeFileSync(`${out}/build-id`, digestOf(out));
    chmodSync(`${out}/tools/cli/artist-gateway.js`, 0o755);
    const { makeSite } = await import('./pages/site.ts'); // of sources that compile
    const site = makeSite();
    const program = { name: adapterName, text: await bundleForPartners(site) };
    for (const { name, text } of [...site, program]) {
      const file = join(out, 'site', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    rmSync('dist', { recursive: true, force: true });
    renameSync(out, 'dist'); // fails if another build ended in between
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
