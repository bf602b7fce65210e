import { fileURLToPath } from 'node:url';

/**
 * Instead of src/runtime/package-folder.ts in the bundle, whose files package-files.ts reads from
 * memory, as if the bundle were a folder.
 */
export const packageFolder = fileURLToPath(import.meta.url);
