import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCases } from '../adapters/compare/cases/cases.ts';
import { casesFolder, docsFolder } from '../src/runtime/config.ts';
import { renderAcceptance, withResult } from './acceptance-table.ts';

/** Writes docs/generated/acceptance.md and the result of a run in docs/comparing.md from the cases and the checks. Review the diff before you commit it. */
const cases = await readCases(casesFolder);
writeFileSync(join(docsFolder, 'generated/acceptance.md'), renderAcceptance(cases));
const guide = join(docsFolder, 'comparing.md');
writeFileSync(guide, await withResult(readFileSync(guide, 'utf8'), cases));
