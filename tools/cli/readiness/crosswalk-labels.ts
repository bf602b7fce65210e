import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { readLabelNames } from '../../operator/identifiers.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';

export const labelsCommand: DefineCommand = (command) =>
  command
    .option('--json', 'print a JSON array')
    .description(
      'list the tracked labels, one a line, as _meta.labels_tracked of the variant form lists them',
    )
    .addHelpText(...example('artist-gateway crosswalk labels > labels.txt'))
    .action(({ json }) =>
      withContext(async ({ database: { documents } }) => {
        const { names, unusable } = await readLabelNames(documents);
        if (json) printJson(names);
        else
          for (const name of names)
            process.stdout.write(`${process.stdout.isTTY ? plainText(name) : name}\n`);
        if (unusable > 0) note(`Left out, no usable label: ${unusable}.`);
        note(`${countOf(names.length, 'label')}; every organization gets the same list.`);
      }),
    );
