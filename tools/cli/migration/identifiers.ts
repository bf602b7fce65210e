import { forms } from '../../../adapters/forms/forms.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { readLabelNames } from '../../operator/identifiers.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { note } from '../terminal/messages.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';

export const idsCommand: DefineCommand = (command) =>
  command
    .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json'))
    .option('--json', 'print a JSON array, as "compare --pairs" reads it')
    .description('list the variant and the current identifier of each artist')
    .addHelpText(...example('artist-gateway migration ids --csv > ids.csv'))
    .action(({ csv, json }) =>
      withContext(async ({ identifiers }) => {
        const pairs: Record<string, string>[] = [];
        let unusable = 0;
        for await (const pair of identifiers.readAll()) {
          if (pair === undefined) unusable += 1;
          else
            pairs.push(
              Object.fromEntries(
                forms.map(({ name, artistIdentifier }) => [name, pair[artistIdentifier]]),
              ),
            );
        }
        // The last form first, as a partner looks up the identifier that it has stored.
        const columns = forms.map(
          ({ name }): Column<(typeof pairs)[number]> => ({
            title: name,
            show: (pair) => pair[name],
            isExact: true,
          }),
        );
        printListing(pairs, columns.toReversed(), { csv, json });
        if (unusable > 0) note(`Left out, no usable identifier: ${unusable}.`);
        note(`${countOf(pairs.length, 'pair')}; every organization gets the same pairs.`);
      }),
    );

export const labelsCommand: DefineCommand = (command) =>
  command
    .option('--json', 'print a JSON array')
    .description(
      'list the tracked labels, one per line, as in _meta.labels_tracked of the variant form',
    )
    .addHelpText(...example('artist-gateway migration labels > labels.txt'))
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
