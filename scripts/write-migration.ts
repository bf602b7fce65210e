import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMigration } from '../adapters/reference/migration-page.ts';
import { crosswalk } from '../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../src/runtime/config.ts';

/** Writes the migration page anew from the crosswalk. What it writes is to be read before it is kept. */
writeFileSync(join(docsFolder, 'migration.md'), renderMigration(crosswalk));
