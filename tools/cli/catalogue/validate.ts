import { countOf } from '../../../src/domain/quantities.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { validateInput } from '../../import/check-references.ts';
import { readInputFiles } from '../../import/input-files.ts';
import { type DefineCommand, example } from '../command.ts';
import { inputArgument } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { countErrors, foundJson, noteUnread, printErrors, printWarnings } from './import-report.ts';
import { runInSteps } from './step-progress.ts';

const validate = (
  paths: readonly string[],
  { json = false }: { readonly json?: boolean },
): Promise<void> =>
  runInSteps(async ({ onProgress }) => {
    const files = await readInputFiles(paths, noteUnread);
    const result = await validateInput(files, { now: systemClock().now(), onProgress });
    printWarnings(result);
    const { artists, series, labels } = result.valid;
    if (json) printJson({ artists, series, labels, ...foundJson(result) });
    else {
      if (result.total > 0) printErrors(result);
      note(`Valid: ${countOf(artists, 'artist')}, ${series} series, ${countOf(labels, 'label')}.`);
    }
    if (result.total > 0) throw new Error(`${countErrors(result)}: an import would write nothing.`);
  });

export const validateCommand: DefineCommand = (command) =>
  command
    .argument(...inputArgument)
    .option('--json', 'print a JSON object')
    .description('check files as an import does, and write nothing')
    .addHelpText(...example('artist-gateway catalogue validate /data/charts-2026'))
    .action(validate);
