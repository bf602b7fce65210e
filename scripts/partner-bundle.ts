import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import type { SiteFile } from '../adapters/reference/site-files.ts';

const catalogue = 'fixtures/catalogue';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** CommonJS modules in the bundle call `require`. */
const banner = `#!/usr/bin/env node
// artist-gateway ${version}. SPDX-License-Identifier: MIT. Licences of its packages are at its end.
import { createRequire as makeRequire } from 'node:module';
const require = makeRequire(import.meta.url);`;

/** Files that the sandbox reads, in addition to the site. */
const read = ['package.json', ...readdirSync(catalogue).map((name) => join(catalogue, name))];

const pack = (site: readonly SiteFile[]): string => {
  const texts = [
    ...read.map((file) => [file, readFileSync(file, 'utf8')] as const),
    ...site.map(({ name, text }) => [`dist/site/${name}`, text] as const),
  ];
  return gzipSync(JSON.stringify(Object.fromEntries(texts)), { level: 9 }).toString('base64');
};

const gateway = join(import.meta.dirname, '../partners/gateway');

const forPartners: Plugin = {
  name: 'for-partners',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/package-folder\.ts$/ }, () => ({
      path: join(gateway, 'package-folder.ts'),
    }));
    // own modules that only read files do so from memory
    onResolve({ filter: /^node:fs(\/promises)?$/ }, ({ importer }) =>
      /(runtime\/config|embedded\/files|reference\/site-files)\.ts$/.test(importer)
        ? { path: join(gateway, 'package-files.ts') }
        : undefined,
    );
    // a sandbox opens no database: the bundle has no drivers
    onResolve(
      { filter: /\/(mongodb\/database|redis\/(quotas|probe|errors))\.ts$/ },
      ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined),
    );
    // only English messages of zod are used
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('zod') ? { path: 'locales', namespace: 'none' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: 'export {};', loader: 'js' }));
    onLoad({ filter: /partners\/shared\/http\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("'0.0.0'", `'${version}'`),
      loader: 'ts',
    }));
  },
};

const licencesOf = (inputs: readonly string[]): string => {
  const folders = inputs.flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  const texts = [...new Set(folders)].sort().map((folder) => {
    const named = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${named.name} ${named.version} (${named.license})\n\n${text.replaceAll('*/', '* /')}`;
  });
  return `\n/*\n${texts.join('\n\n---\n\n')}\n*/\n`;
};

/** Bundles `partners/gateway`, the gateway and the site into `artist-gateway.mjs`. */
export const bundleForPartners = async (site: readonly SiteFile[]): Promise<string> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(gateway, 'main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    define: { packedFiles: JSON.stringify(pack(site)) },
    plugins: [forPartners],
    external: ['pino-pretty'],
    preserveSymlinks: true, // paths in comments are the same in each checkout
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const text = outputFiles.map((output) => output.text).join('');
  return text + licencesOf(Object.keys(metafile.inputs));
};
