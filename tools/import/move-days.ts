import { isArrayFile } from '../../adapters/stores/documents/collection-files.ts';
import { parseDocumentFile } from '../../adapters/stores/documents/document-file.ts';
import { newestDay, rebaseDays } from '../../adapters/stores/embedded/rebase-dates.ts';
import type { Day } from '../../src/domain/day.ts';
import type { InputFile } from './input-files.ts';

/**
 * Moves all days in the files so that the newest is this day, as `npm start` does for the example
 * catalogue. Does not change files with errors: the check of the input reports them.
 */
export const moveDays = (files: readonly InputFile[], to: Day): readonly InputFile[] => {
  const parsed = files.map(({ bytes, path }) => parseDocumentFile(bytes, path));
  if (parsed.some(({ errors }) => errors.length > 0)) return files;
  const from = newestDay(parsed.flatMap(({ documents }) => documents.map(({ value }) => value)));
  if (from === '') return files;
  return files.map((file, index) => {
    const lines = (parsed[index]?.documents ?? []).map(({ value }) =>
      JSON.stringify(rebaseDays(value, from, to)),
    );
    const text = isArrayFile(file.path) ? `[${lines.join(',\n')}]` : `${lines.join('\n')}\n`;
    return { ...file, bytes: Buffer.from(text) };
  });
};
