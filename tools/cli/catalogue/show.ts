import type { DocumentStore } from '../../../adapters/stores/database.ts';
import {
  parseArtist,
  parseSeries,
} from '../../../adapters/stores/documents/catalogue-documents.ts';
import { formatIssue, type Parsed } from '../../../adapters/stores/documents/parse-result.ts';
import type { StoredDocument } from '../../../adapters/stores/documents/stored-document.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { redactKeyTexts } from '../../../src/keys/key-format.ts';
import { readAll } from '../../import/compare-artists.ts';
import { toExported, writtenBy } from '../../import/to-stored.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { type Fact, printFacts, printJson } from '../terminal/table.ts';

/** What a gateway makes of a stored document. */
const readingOf = (parsed: Parsed<unknown>) =>
  'model' in parsed
    ? { served: true, left_out: (parsed.leftOut ?? []).map(formatIssue) }
    : { served: false, why: formatIssue(parsed.issue), left_out: [] };

const seriesOf = (stored: StoredDocument) => {
  const { song_id, metric, points } = stored;
  const days = Array.isArray(points) ? points.map(({ date }) => String(date)) : [];
  const [first, last] = [days.at(0), days.at(-1)];
  return { song_id, metric, points: days.length, first, last, ...readingOf(parseSeries(stored)) };
};

const findArtists = async (
  documents: DocumentStore,
  id: string,
): Promise<readonly StoredDocument[]> => {
  const found = new Map<string, StoredDocument>();
  for (const name of ['id', '_id'])
    for (const one of await readAll(documents, 'artists', { where: { [name]: [id] } }))
      found.set(String(one['_id']), one);
  return [...found.values()];
};

const describeArtist = async (stored: StoredDocument, { imports, database }: Context) => {
  const { documents } = database;
  const [id, run] = [stored['id'], stored[writtenBy]];
  const series = await readAll(documents, 'history', { where: { artist_id: [id] } });
  const [lastImport] = run === undefined ? [] : await imports.read({ run, limit: 1 });
  return {
    id,
    document_id: String(stored['_id']),
    ...readingOf(parseArtist(stored)),
    last_import: lastImport,
    series: series.map(seriesOf),
    stored: toExported(stored, documents.toJson),
  };
};

type Description = Awaited<ReturnType<typeof describeArtist>>;

const formatSeries = ({ song_id, metric, points, last, ...reading }: Description['series'][0]) => {
  const faults = [reading.why ?? [], reading.left_out].flat().join('; ');
  const state = reading.served ? 'served' : 'not served';
  return `${countOf(points, 'point')} to ${last ?? 'no day'}, ${state}${faults && ` (${faults})`}`;
};

const factsOf = (described: Description): readonly Fact[] => {
  const { id, document_id, served, left_out, last_import, series, stored } = described;
  const why = 'why' in described ? described.why : undefined;
  const kept = 'a gateway that read it before keeps serving its last good version';
  return [
    ['id', String(id)],
    ['document identifier', document_id],
    ['name', String(stored['name'])],
    ['changed', String(stored['updated_at'])],
    ['served', served ? 'yes' : `no: ${why}; ${kept}`],
    ['left out', left_out.join('; ') || undefined],
    ['last import', last_import && `${last_import.at} by ${last_import.actor}`],
    ...series.map((one): Fact => {
      const name = [one.song_id, one.metric].filter(Boolean).join(' ');
      return [name, formatSeries(one)];
    }),
  ];
};

export const showCommand: DefineCommand = (command) =>
  command
    .argument('<artist>', 'its id or document identifier')
    .option('--json', 'print a JSON object')
    .description('show an artist: what is stored, what is served, and why not; its last import')
    .addHelpText(...example('artist-gateway catalogue show art_7rf1ly'))
    .action((id, { json = false }) =>
      withContext(async (context) => {
        const found = await findArtists(context.database.documents, id);
        if (found.length === 0)
          throw new Error(`No stored artist has the id or document identifier ${id}.`);
        for (const stored of found) {
          const described = await describeArtist(stored, context);
          const shown: Description = JSON.parse(redactKeyTexts(JSON.stringify(described)));
          if (json) printJson(shown);
          else printFacts(factsOf(shown), { now: context.now() });
        }
      }),
    );
