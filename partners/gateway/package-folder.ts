import { fileURLToPath } from 'node:url';

/** Replaces src/runtime/package-folder.ts in the bundle: package-files.ts reads below this path. */
export const packageFolder = fileURLToPath(import.meta.url);
