import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMigration } from '../adapters/reference/migration-page.ts';
import { crosswalk } from '../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../src/runtime/config.ts';

/** Writes docs/migration.md from the crosswalk. Review the diff before you commit it. */
writeFileSync(join(docsFolder, 'migration.md'), renderMigration(crosswalk));
