import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesFolder, docsFolder } from '../src/runtime/config.ts';
import { readCases } from '../tools/compare/cases/cases.ts';
import { documentSchema } from '../tools/import/document-rules.ts';
import { collections } from '../tools/import/input-files.ts';
import { mapping } from '../tools/migration/mapping/mapping.ts';
import { withResult } from './comparison-result.ts';
import { renderMigration } from './migration-page.ts';
import { joinPrograms } from './partner-programs.ts';
import { recordedPieces } from './recorded-answers.ts';

/** The files that `npm run generate` writes from code and data, beside the frozen contracts. */
export const generateFiles = async (): Promise<
  readonly (readonly [file: string, text: string])[]
> => {
  const cases = await readCases(casesFolder);
  const guide = readFileSync(join(docsFolder, 'comparing.md'), 'utf8');
  const docs: readonly (readonly [file: string, text: string])[] = [
    ['comparing.md', await withResult(guide, cases)],
    ['generated/migration.md', renderMigration(mapping)],
    ...recordedPieces().map(([file, text]) => [`generated/${file}`, text] as const),
    ...joinPrograms().map(([name, text]) => [`generated/clients/${name}`, text] as const),
    ...collections.map(
      (name) =>
        [`schemas/${name}.json`, `${JSON.stringify(documentSchema(name), null, 2)}\n`] as const,
    ),
  ];
  return docs.map(([file, text]) => [join(docsFolder, file), text] as const);
};
