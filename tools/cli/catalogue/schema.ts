import { documentSchema } from '../../import/document-rules.ts';
import { collections } from '../../import/input-files.ts';
import { type DefineCommand, example } from '../command.ts';
import { printJson } from '../terminal/table.ts';

export const schemaCommand: DefineCommand = (command) =>
  command
    .addArgument(
      command.createArgument('<collection>', 'what the documents are').choices(collections),
    )
    .description('print the JSON Schema of the documents of a collection')
    .addHelpText(...example('artist-gateway catalogue schema artists > artists.schema.json'))
    .action((collection) => printJson(documentSchema(collection)));
