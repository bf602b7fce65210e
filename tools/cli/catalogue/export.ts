import { type ExportWarning, exportCatalogue } from '../../import/export-catalogue.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { note } from '../terminal/messages.ts';
import { printFacts, printJson } from '../terminal/table.ts';
import { noteWarnings } from './import-report.ts';
import { runInSteps, type StepRun } from './step-progress.ts';

const formatWarning = ({ collection, document, path, message }: ExportWarning): string =>
  `Warning: ${collection} ${document}: ${path} ${message}`;

interface ExportOptions {
  readonly json?: boolean;
}

const exportFiles = async (
  folder: string,
  { json = false }: ExportOptions,
  { database, usageNow: machineNow }: Context,
  { interruption }: StepRun,
): Promise<void> => {
  const exported = await exportCatalogue(database, folder, { machineNow, interruption });
  const { counts, leftOut, orphans, warnings } = exported;
  const { artists, history: series, labels } = counts;
  if (json) printJson({ artists, series, labels, left_out: leftOut, orphans, warnings });
  else {
    noteWarnings(warnings, formatWarning);
    printFacts(Object.entries({ artists, series, labels }));
    if (orphans > 0)
      note(
        `${orphans} series of an artist or a song that is gone: in left-out.ndjson; "catalogue import --prune" removes them.`,
      );
  }
  if (leftOut > 0)
    throw new Error(
      `${leftOut} left out: an import would refuse them. They are in left-out.ndjson, unless they hold a key.`,
    );
};

const exportTo = (folder: string, options: ExportOptions): Promise<void> =>
  withContext((context) => runInSteps((run) => exportFiles(folder, options, context, run)));

export const exportCommand: DefineCommand = (command) =>
  command
    .argument('<folder>', 'a new folder')
    .option('--json', 'print a JSON object')
    .description(
      'write the stored catalogue (in MONGODB_URL) to the files that "import" reads; never keys',
    )
    .addHelpText(...example('artist-gateway catalogue export /backup/2026-08-22'))
    .action(exportTo);
