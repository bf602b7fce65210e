import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crosswalk } from '../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../src/runtime/config.ts';
import { renderMigration } from './migration-page.ts';
import { recordedPieces } from './recorded-answers.ts';

/** Writes docs/generated/migration.md from the crosswalk, and the pieces of /docs that are made of recorded answers. Review the diff before you commit it. */
writeFileSync(join(docsFolder, 'generated/migration.md'), renderMigration(crosswalk));
for (const [file, text] of recordedPieces()) writeFileSync(join(docsFolder, 'generated', file), text);
