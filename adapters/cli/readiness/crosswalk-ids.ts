import { once } from 'node:events';
import type { FormFacts } from '../../../src/domain/form-facts.ts';
import type { ArtistIdentifiers } from '../../../src/domain/model.ts';
import type { IdentifierReader } from '../../../src/ports.ts';
import { cell, plainText } from '../../text/plain-text.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readSubjectName } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { csvLine } from '../terminal/table.ts';

/** An output format of pairs of identifiers. */
interface Format {
  readonly head: string;
  readonly formatPair: (pair: ArtistIdentifiers, index: number) => string;
  readonly foot: string;
}

/** A column for each form, the last form first: a partner looks up the identifier that it has stored. */
const separated = (forms: readonly FormFacts[], formatLine: (cells: readonly string[]) => string): Format => {
  const columns = forms.toReversed();
  return {
    head: formatLine(columns.map(({ name }) => name)),
    formatPair: (pair) => formatLine(columns.map(({ artistIdentifier }) => cell(pair[artistIdentifier]))),
    foot: '',
  };
};

/** The format that `compare --pairs` reads. */
const jsonArray = (forms: readonly FormFacts[]): Format => ({
  head: '[',
  formatPair(pair, index) {
    const members = forms.map(({ name, artistIdentifier }) => [name, pair[artistIdentifier]] as const);
    return `${index === 0 ? '' : ','}\n  ${plainText(JSON.stringify(Object.fromEntries(members)))}`;
  },
  foot: '\n]\n',
});

/** Waits while the reader of the pipe is slower. */
const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const writePairs = async (identifiers: IdentifierReader, { head, formatPair, foot }: Format): Promise<number> => {
  let [written, unusable] = [0, 0];
  await write(head);
  for await (const pair of identifiers.readAll()) {
    if (pair === undefined) unusable += 1;
    else await write(formatPair(pair, written++));
  }
  await write(foot);
  if (unusable > 0) note(`Left out, no usable identifier: ${unusable} (see "catalogue stats").`);
  return written;
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
        const format = json ? jsonArray(forms) : separated(forms, csv ? csvLine : (cells) => `${cells.join('\t')}\n`);
        const written = await writePairs(identifiers, format);
        const recipient = organization === undefined ? '' : ` for ${organization.name}`;
        note(`${written} pairs${recipient}; every organization gets the same pairs.`);
      }),
    );
