import { Command } from 'commander';
import { checkInput, findDangling, songsByArtist } from '../../stores/import/check.ts';
import { readInput } from '../../stores/import/input-files.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { printRefusals } from './import-errors.ts';

const validate = async (paths: readonly string[], { json = false }: { readonly json?: boolean }): Promise<void> => {
  const input = await readInput(paths);
  const checked = checkInput(input);
  // Series alone may belong to artists that are stored; an import finds out.
  const dangling = input.collections.has('artists') ? findDangling(checked, songsByArtist(checked.artists)) : [];
  const refused = [...checked.refused, ...dangling];
  const counts = {
    artists: checked.artists.length,
    series: checked.series.length,
    labels: checked.labels.length,
    refused: refused.length,
  };
  if (json) printJson({ ...counts, refused });
  else {
    if (refused.length > 0) printRefusals(refused);
    note(`Valid: ${counts.artists} artists, ${counts.series} series, ${counts.labels} labels.`);
  }
  if (refused.length > 0) throw new Error(`${refused.length} refused: an import would write nothing.`);
};

/** Checks files as an import does, without a database. */
export const validateCommand = (): Command =>
  new Command('validate')
    .description('check files as an import does, and write nothing')
    .argument('<path...>', 'folders and files: artists, history and labels, .json or .ndjson')
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  artist-gateway catalogue validate /data/charts-2026')
    .action(validate);
