import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crosswalk } from '../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../src/runtime/config.ts';
import { renderMigration } from './migration-page.ts';

/** Writes docs/generated/migration.md from the crosswalk. Review the diff before you commit it. */
writeFileSync(join(docsFolder, 'generated/migration.md'), renderMigration(crosswalk));
