import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/**
 * The package's root folder, even if the compiled program runs from `dist/`. The bundle for
 * partners has another module instead of this one.
 */
export const packageFolder = dirname(createRequire(import.meta.url).resolve('#package.json'));
