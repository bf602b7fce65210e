import { isDeepStrictEqual } from 'node:util';
import { addDays, type Day, dayOf } from '../../../src/domain/day.ts';
import { groupBy } from '../../../src/domain/group-by.ts';
import type { History, Label, Series } from '../../../src/domain/model.ts';
import type {
  CatalogueContents,
  CatalogueSource,
  Clock,
  HistorySource,
  ListedArtist,
  RejectedDocument,
} from '../../../src/ports.ts';
import { parseArtist, parseLabel, parseSeries, toHistory } from '../documents/catalogue-documents.ts';
import { type FileDocument, formatPosition } from '../documents/document-file.ts';
import { createInterner } from '../documents/intern.ts';
import { formatIssue, mapParsed, type Parsed } from '../documents/parse-result.ts';
import { createFileReader, type FileDocuments } from './files.ts';
import { newestDay, rebaseDays } from './rebase-dates.ts';

/** Readers of the files of a catalogue folder. Each parses its file once, and again when it changes. */
export const createCatalogueReaders = (folder: string) => ({
  artists: createFileReader(folder, 'artists'),
  series: createFileReader(folder, 'history', { optional: true }),
  labels: createFileReader(folder, 'labels', { optional: true }),
});

export interface EmbeddedCatalogueOptions {
  /** Folder with `artists` and optionally `history` and `labels`, each `.json` or `.ndjson`. */
  readonly folder: string;
  /** By default readers of its own. */
  readonly readers?: ReturnType<typeof createCatalogueReaders>;
  readonly clock: Clock;
  /** Moves every day in the files so that the newest is today: the demo catalogue never goes out of date. */
  readonly rebaseToToday: boolean;
}

/** The longest comparison window of the signal engine (30 days) plus its slack, rounded up. */
const recentDays = 35;

/** An artist with its history. They are compared together, so that a changed series changes the artist. */
interface LoadedArtist {
  readonly listed: ListedArtist;
  readonly history: History;
}

const emptyHistory: History = { series: [] };

const parseAll = <Model>(
  collection: string,
  documents: readonly FileDocument[],
  parse: (document: unknown) => Parsed<Model>,
  rejected: RejectedDocument[],
): Model[] =>
  documents.flatMap(({ value, position }) => {
    const parsed = parse(value);
    if ('model' in parsed) return [parsed.model];
    rejected.push({ collection, document: formatPosition(position()), reason: formatIssue(parsed.issue) });
    return [];
  });

/** Of series with the same artist, song and metric it keeps the first and reports the others. */
const withoutRepeats = (series: readonly Series[], rejected: RejectedDocument[]): Series[] => {
  const seen = new Set<string>();
  return series.filter(({ artistId, songId = '', metric }) => {
    const document = [artistId, songId, metric].filter((part) => part !== '').join(' ');
    const isFirst = !seen.has(document);
    seen.add(document);
    if (!isFirst)
      rejected.push({ collection: 'history', document, reason: 'another series of the same metric is kept' });
    return isFirst;
  });
};

const recentOf = (series: readonly Series[], since: Day): Series[] =>
  series
    .filter(({ songId }) => songId === undefined)
    .map((own) => ({ ...own, points: own.points.filter(({ date }) => date >= since) }));

/** Replaces values by equal ones of the previous load, so that unchanged values keep their identity. */
const reuseEqual = <Value>(
  values: readonly Value[],
  previous: readonly Value[],
  keyOf: (value: Value) => string,
): Value[] => {
  const known = new Map(previous.map((value) => [keyOf(value), value]));
  return values.map((value) => {
    const former = known.get(keyOf(value));
    return former !== undefined && isDeepStrictEqual(former, value) ? former : value;
  });
};

/**
 * Creates a catalogue and its histories from files in the stored format (data format). Files are read again when they change.
 * `load` rejects when a file is missing or cannot be parsed; a single invalid document is left out and reported.
 */
export const createEmbeddedCatalogue = (options: EmbeddedCatalogueOptions): CatalogueSource & HistorySource => {
  const { folder, clock, rebaseToToday, readers = createCatalogueReaders(folder) } = options;
  const intern = createInterner();
  const parseInterned = (document: unknown) => mapParsed(parseArtist(document), intern);
  let histories = new Map<string, History>();
  let last:
    | { readonly version: string; readonly contents: CatalogueContents; readonly loaded: LoadedArtist[] }
    | undefined;

  const rebase = (files: readonly FileDocuments[], today: Day): readonly FileDocuments[] => {
    if (!rebaseToToday) return files;
    const newest = newestDay(files.flatMap(({ documents }) => documents.map(({ value }) => value)));
    return files.map(({ version, documents }) => ({
      version,
      documents: documents.map(({ value, position }) => ({ value: rebaseDays(value, newest, today), position })),
    }));
  };

  return {
    async load() {
      const today = dayOf(clock.now());
      const files = await Promise.all([readers.artists(), readers.series(), readers.labels()]);
      const version = [rebaseToToday ? today : '', ...files.map((file) => file.version)].join('\n');
      if (last?.version === version) return last.contents;

      const [artistDocuments = [], seriesDocuments = [], labelDocuments = []] = rebase(files, today).map(
        ({ documents }) => documents,
      );
      const rejected: RejectedDocument[] = [];
      const artists = parseAll('artists', artistDocuments, parseInterned, rejected);
      const allSeries = withoutRepeats(parseAll('history', seriesDocuments, parseSeries, rejected), rejected);
      const series = groupBy(allSeries, ({ artistId }) => artistId);
      const labels: Label[] = parseAll('labels', labelDocuments, parseLabel, rejected);
      const before = last?.contents;

      const since = addDays(today, -recentDays);
      const artistsAndHistories: LoadedArtist[] = artists.map((artist) => {
        const own = series.get(artist.id) ?? [];
        return { listed: { artist, recent: recentOf(own, since) }, history: toHistory(own) };
      });
      const loaded = reuseEqual(artistsAndHistories, last?.loaded ?? [], ({ listed }) => listed.artist.id);
      histories = new Map(loaded.map(({ listed, history }) => [listed.artist.id, history]));
      const contents = {
        artists: loaded.map(({ listed }) => listed),
        labels: before !== undefined && isDeepStrictEqual(before.labels, labels) ? before.labels : labels,
        rejected,
      };
      last = { version, contents, loaded };
      return last.contents;
    },

    async read({ id }) {
      return histories.get(id) ?? emptyHistory;
    },
  };
};
