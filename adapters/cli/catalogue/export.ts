import { ExportError, type ExportRemark, exportCatalogue } from '../../import/export-catalogue.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { note } from '../terminal/messages.ts';
import { printFacts, printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** Remarks listed; `--json` lists all. */
const maxListed = 50;

const printRemarks = (remarks: readonly ExportRemark[]): void => {
  for (const { collection, document, path, message } of remarks.slice(0, maxListed)) {
    note(`Remark: ${collection} ${document}: ${path} ${message}`);
  }
  if (remarks.length > maxListed) note(`${remarks.length - maxListed} more remarks are listed by --json.`);
};

const exportTo = (folder: string, { json = false }: { readonly json?: boolean }): Promise<void> =>
  withContext(async ({ database: { documents } }) => {
    const { counts, leftOut, remarks } = await exportCatalogue(documents, folder).catch((error: unknown) => {
      throw error instanceof ExportError ? new UsageError(error.message, { cause: error }) : error;
    });
    const { artists, history: series, labels } = counts;
    if (json) printJson({ artists, series, labels, left_out: leftOut, remarks });
    else {
      printRemarks(remarks);
      printFacts([
        ['artists', artists],
        ['series', series],
        ['labels', labels],
      ]);
    }
    if (leftOut > 0)
      throw new Error(
        `${leftOut} left out: an import would refuse them. They are in left-out.ndjson, unless they hold a key.`,
      );
  });

/** `catalogue export`: writes the stored catalogue to files that `catalogue import` reads. */
export const exportCommand: DefineCommand = (command) =>
  command
    .argument('<folder>', 'a new folder')
    .option('--json', 'print a JSON object')
    .description('write the stored catalogue (in MONGODB_URL) to the files that "import" reads; never keys')
    .addHelpText(...example('artist-gateway catalogue export /backup/2026-08-22'))
    .action(exportTo);
