import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCases } from '../adapters/compare/cases/cases.ts';
import { casesFolder, docsFolder } from '../src/runtime/config.ts';
import { withAcceptance } from './acceptance-table.ts';

/** Writes the acceptance table and the result of a run into docs/comparing.md from the cases and the checks. Review the diff before you commit it. */
const guide = join(docsFolder, 'comparing.md');
writeFileSync(guide, await withAcceptance(readFileSync(guide, 'utf8'), await readCases(casesFolder)));
