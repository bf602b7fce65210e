import { validateInput } from '../../stores/import/check-references.ts';
import type { DefineCommand } from '../program.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { printRefused, refusedJson } from './import-report.ts';
import { inputArgument, readInputArgument } from './input-argument.ts';

const validate = async (paths: readonly string[], { json = false }: { readonly json?: boolean }): Promise<void> => {
  const { artists, series, labels, refused } = validateInput(await readInputArgument(paths));
  const counts = { artists: artists.length, series: series.length, labels: labels.length };
  if (json) printJson({ ...counts, refused: refused.map(refusedJson) });
  else {
    if (refused.length > 0) printRefused(refused);
    note(`Valid: ${counts.artists} artists, ${counts.series} series, ${counts.labels} labels.`);
  }
  if (refused.length > 0) throw new Error(`${refused.length} refused: an import would write nothing.`);
};

/** `catalogue validate`: checks files as an import does, without a database. */
export const validateCommand: DefineCommand = (command) =>
  command
    .argument(...inputArgument)
    .option('--json', 'print a JSON object')
    .action(validate);
