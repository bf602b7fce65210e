import type { FormFacts } from '../../../src/domain/form-facts.ts';
import type { ArtistIdentifiers } from '../../../src/domain/model.ts';
import { cell, plainText } from '../../text/plain-text.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { csvLine } from '../terminal/table.ts';

/** A line of titles and one for each pair: the last form first, as a partner looks up the identifier that it has stored. */
const separated = (
  pairs: readonly ArtistIdentifiers[],
  forms: readonly FormFacts[],
  formatLine: (cells: readonly string[]) => string,
): string => {
  const columns = forms.toReversed();
  const lines = pairs.map((pair) => columns.map(({ artistIdentifier }) => cell(pair[artistIdentifier])));
  return [columns.map(({ name }) => name), ...lines].map(formatLine).join('');
};

/** The format that `compare --pairs` reads. */
const jsonArray = (pairs: readonly ArtistIdentifiers[], forms: readonly FormFacts[]): string => {
  const items = pairs.map((pair) => {
    const members = forms.map(({ name, artistIdentifier }) => [name, pair[artistIdentifier]] as const);
    return `\n  ${plainText(JSON.stringify(Object.fromEntries(members)))}`;
  });
  return `[${items.join(',')}\n]\n`;
};

export const idsCommand: DefineCommand = (command) =>
  command
    .option(
      '--org, --organization <id>',
      'the organization that gets the list; every organization gets the same pairs',
      readSubjectName,
    )
    .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json'))
    .option('--json', 'print a JSON array, as "compare --pairs" reads it')
    .description('list the identifier of every artist in the variant form beside that in the current form')
    .addHelpText(...example('artist-gateway crosswalk ids --organization acme --csv > acme-ids.csv'))
    .action(({ organization: id, csv, json }) =>
      withContext(async ({ identifiers, forms, loadRegistry }) => {
        const organization = id === undefined ? undefined : (await loadRegistry()).organization(id);
        const pairs: ArtistIdentifiers[] = [];
        let unusable = 0;
        for await (const pair of identifiers.readAll()) {
          if (pair === undefined) unusable += 1;
          else pairs.push(pair);
        }
        const text = json
          ? jsonArray(pairs, forms)
          : separated(pairs, forms, csv ? csvLine : (cells) => `${cells.join('\t')}\n`);
        process.stdout.write(text);
        if (unusable > 0) note(`Left out, no usable identifier: ${unusable} (see "catalogue stats").`);
        const recipient = organization === undefined ? '' : ` for ${organization.name}`;
        note(`${pairs.length} pairs${recipient}; every organization gets the same pairs.`);
      }),
    );
