import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of this checkout. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The modules of the built gateway that the bench uses, with the types of their sources: the bench names no other. */
interface Built {
  readonly 'adapters/process/serve.js': typeof import('../adapters/process/serve.ts');
  readonly 'src/keys/generate-key.js': typeof import('../src/keys/generate-key.ts');
  readonly 'src/runtime/config.js': typeof import('../src/runtime/config.ts');
  readonly 'src/runtime/memo.js': typeof import('../src/runtime/memo.ts');
}

/** Imports a module of the built gateway. */
export const importBuilt = async <Path extends keyof Built>(path: Path): Promise<Built[Path]> =>
  // The path decides which module it is; nothing at run time could check more.
  (await import(pathToFileURL(`${root}dist/${path}`).href)) as Built[Path];
