import { once } from 'node:events';
import { Command, Option } from 'commander';
import type { Identifiers } from '../../stores/documents/catalogue-documents.ts';
import { readIdentifiers } from '../../stores/mongodb/identifiers.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { type Database, withDatabase } from '../open-database.ts';
import { note } from '../terminal/messages.ts';
import { cell, csvLine } from '../terminal/table.ts';

interface IdsOptions {
  readonly org?: string;
  readonly csv?: true;
  readonly json?: true;
}

/** How pairs are written down, one after the other. */
interface Format {
  readonly head: string;
  readonly line: (pair: Identifiers, place: number) => string;
  readonly foot: string;
}

const separated = (line: (cells: readonly string[]) => string): Format => ({
  head: line(['variant', 'current']),
  line: ({ id, documentId }) => line([cell(documentId), cell(id)]),
  foot: '',
});

const tabSeparated = separated((cells) => `${cells.join('\t')}\n`);
const commaSeparated = separated(csvLine);

/** As `compare --pairs` reads it. */
const json: Format = {
  head: '[',
  line: ({ id, documentId }, place) =>
    `${place === 0 ? '' : ','}\n  ${JSON.stringify({ current: id, variant: documentId })}`,
  foot: '\n]\n',
};

const formatOf = (options: IdsOptions): Format => {
  if (options.json) return json;
  return options.csv ? commaSeparated : tabSeparated;
};

/** Writes as fast as it is read. */
const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const writePairs = async (db: Database, { head, line, foot }: Format): Promise<number> => {
  let [written, unusable] = [0, 0];
  await write(head);
  for await (const parsed of readIdentifiers(db)) {
    if ('model' in parsed) await write(line(parsed.model, written++));
    else unusable += 1;
  }
  await write(foot);
  if (unusable > 0) note(`Left out, for want of a usable identifier: ${unusable} (see "catalogue stats").`);
  return written;
};

const ids = (options: IdsOptions): Promise<void> =>
  withDatabase(async (db) => {
    const whose = options.org === undefined ? undefined : (await loadKeyRegistry(db)).organization(options.org);
    const written = await writePairs(db, formatOf(options));
    const reader = whose === undefined ? 'every organization' : `${whose.name}, as for every organization`;
    note(`${written} pairs, the same for ${reader}: the shortlist is one.`);
  });

/** Lists which document identifier belongs to which stable one. */
export const idsCommand = (): Command =>
  new Command('ids')
    .description('list the identifier of every artist in the variant form beside that in the current form')
    .option('--org <id>', 'who it is for; the pairs are the same for everybody')
    .addOption(new Option('--csv', 'print comma-separated values').conflicts('json'))
    .option('--json', 'print a JSON array, as "compare --pairs" reads it')
    .addHelpText('after', '\nExample:\n  artist-gateway crosswalk ids --org acme --csv > acme-ids.csv')
    .action(ids);
