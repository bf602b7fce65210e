import { existsSync, readFileSync } from 'node:fs';

/** The file with the build id, in the folder of the compiled program. */
const file = new URL('../../build-id', import.meta.url);

/**
 * The digest of the compiled program, as `npm run build` writes it: two builds of one version
 * differ. `source` if the program is not compiled.
 */
export const buildId = existsSync(file) ? readFileSync(file, 'utf8') : 'source';
