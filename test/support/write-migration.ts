import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crosswalk } from '../../src/compare/crosswalk.ts';
import { renderMigration } from '../../src/compare/migration.ts';
import { docsFolder } from '../../src/config.ts';

/** Writes the migration page anew from the crosswalk. What it writes is to be read before it is kept. */
writeFileSync(join(docsFolder, 'migration.md'), renderMigration(crosswalk));
