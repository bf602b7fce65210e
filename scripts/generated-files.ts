import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesFolder, docsFolder } from '../src/runtime/config.ts';
import { readCases } from '../tools/compare/cases/cases.ts';
import { documentSchema } from '../tools/import/document-rules.ts';
import { collections } from '../tools/import/input-files.ts';
import { withResult } from './comparison-result.ts';
import { referencePages } from './reference-pages.ts';

/** The files that `npm run generate` writes from code and data in addition to the frozen contracts. */
export const generateFiles = async (): Promise<
  readonly (readonly [file: string, text: string])[]
> => {
  const cases = await readCases(casesFolder);
  const guide = readFileSync(join(docsFolder, 'comparing.md'), 'utf8');
  const docs: readonly (readonly [file: string, text: string])[] = [
    ['comparing.md', await withResult(guide, cases)],
    ...collections.map(
      (name) =>
        [`schemas/${name}.json`, `${JSON.stringify(documentSchema(name), null, 2)}\n`] as const,
    ),
    ...(await referencePages()).map(([name, text]) => [`reference/${name}`, text] as const),
  ];
  return docs.map(([file, text]) => [join(docsFolder, file), text] as const);
};
