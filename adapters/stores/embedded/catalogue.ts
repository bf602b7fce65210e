import { isDeepStrictEqual } from 'node:util';
import { addDays, type Day, dayOf } from '../../../src/domain/day.ts';
import type { History, Label, Series } from '../../../src/domain/model.ts';
import type {
  CatalogueContents,
  CatalogueSource,
  Clock,
  HistorySource,
  ListedArtist,
  Rejection,
} from '../../../src/ports.ts';
import {
  mapParsed,
  type Parsed,
  parseArtist,
  parseLabel,
  parseSeries,
  toHistory,
} from '../documents/catalogue-documents.ts';
import { createInterner } from '../documents/intern.ts';
import { createFileReader, type FileDocument, type FileDocuments } from './files.ts';
import { newestDay, shiftDays } from './rebase-dates.ts';

/** Readers of the files of a catalogue folder. Each parses its file once, and again when it changes. */
export const createCatalogueReaders = (folder: string) => ({
  artists: createFileReader(folder, 'artists'),
  series: createFileReader(folder, 'history', { optional: true }),
  labels: createFileReader(folder, 'labels', { optional: true }),
});

export interface EmbeddedCatalogueOptions {
  /** Folder with `artists`, and if there are any `history` and `labels`, each `.json` or `.ndjson`. */
  readonly folder: string;
  /** By default readers of the folder that nobody else has. */
  readonly readers?: ReturnType<typeof createCatalogueReaders>;
  readonly clock: Clock;
  /** Moves every day in the files so that the newest is today: a demonstration that never grows old. */
  readonly endsToday: boolean;
}

/** Longer than the longest comparison window of the signal engine and its slack. */
const recentDays = 35;

/** An artist as it was read with all its series: whoever changes a series makes it another artist. */
interface Read {
  readonly listed: ListedArtist;
  readonly history: History;
}

const emptyHistory: History = { series: [] };

const parseAll = <Model>(
  collection: string,
  documents: readonly FileDocument[],
  parse: (document: unknown) => Parsed<Model>,
  rejected: Rejection[],
): Model[] =>
  documents.flatMap(({ place, value }) => {
    const parsed = parse(value);
    if ('model' in parsed) return [parsed.model];
    rejected.push({ collection, document: place, reason: parsed.reason });
    return [];
  });

/** A series is one of its artist, song and metric; the first is kept, as for artists. */
const withoutRepeats = (series: readonly Series[], rejected: Rejection[]): Series[] => {
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

const byArtist = (series: readonly Series[]): Map<string, Series[]> => {
  const map = new Map<string, Series[]>();
  for (const one of series) {
    const list = map.get(one.artistId);
    if (list === undefined) map.set(one.artistId, [one]);
    else list.push(one);
  }
  return map;
};

const recentOf = (series: readonly Series[], since: Day): Series[] =>
  series
    .filter(({ songId }) => songId === undefined)
    .map((own) => ({ ...own, points: own.points.filter(({ date }) => date >= since) }));

/** The values that were there before, wherever an equal one is there now: what did not change keeps its identity. */
const keepEqual = <Value>(
  now: readonly Value[],
  before: readonly Value[],
  keyOf: (value: Value) => string,
): Value[] => {
  const known = new Map(before.map((value) => [keyOf(value), value]));
  return now.map((value) => {
    const kept = known.get(keyOf(value));
    return kept !== undefined && isDeepStrictEqual(kept, value) ? kept : value;
  });
};

/**
 * A catalogue and its histories from files in the stored format. Files are read again when they change; a file that is
 * missing or cannot be parsed rejects, a single bad document is left out and reported.
 */
export const createEmbeddedCatalogue = (options: EmbeddedCatalogueOptions): CatalogueSource & HistorySource => {
  const { folder, clock, endsToday, readers = createCatalogueReaders(folder) } = options;
  const share = createInterner();
  const parseShared = (document: unknown) => mapParsed(parseArtist(document), share);
  let histories = new Map<string, History>();
  let last: { readonly version: string; readonly contents: CatalogueContents; readonly read: Read[] } | undefined;

  const dated = (files: readonly FileDocuments[], today: Day): readonly FileDocuments[] => {
    if (!endsToday) return files;
    const newest = newestDay(files.flatMap(({ documents }) => documents.map(({ value }) => value)));
    return files.map(({ version, documents }) => ({
      version,
      documents: documents.map(({ place, value }) => ({ place, value: shiftDays(value, newest, today) })),
    }));
  };

  return {
    async load() {
      const today = dayOf(clock.now());
      const files = await Promise.all([readers.artists(), readers.series(), readers.labels()]);
      const version = [endsToday ? today : '', ...files.map((file) => file.version)].join('\n');
      if (last?.version === version) return last.contents;

      const [artistDocuments = [], seriesDocuments = [], labelDocuments = []] = dated(files, today).map(
        ({ documents }) => documents,
      );
      const rejected: Rejection[] = [];
      const artists = parseAll('artists', artistDocuments, parseShared, rejected);
      const series = byArtist(withoutRepeats(parseAll('history', seriesDocuments, parseSeries, rejected), rejected));
      const labels: Label[] = parseAll('labels', labelDocuments, parseLabel, rejected);
      const before = last?.contents;

      const since = addDays(today, -recentDays);
      const read: Read[] = artists.map((artist) => {
        const own = series.get(artist.id) ?? [];
        return { listed: { artist, recent: recentOf(own, since) }, history: toHistory(own) };
      });
      const kept = keepEqual(read, last?.read ?? [], ({ listed }) => listed.artist.id);
      histories = new Map(kept.map(({ listed, history }) => [listed.artist.id, history]));
      const contents = {
        artists: kept.map(({ listed }) => listed),
        labels: before !== undefined && isDeepStrictEqual(before.labels, labels) ? before.labels : labels,
        rejected,
      };
      last = { version, contents, read: kept };
      return last.contents;
    },

    async read({ id }) {
      return histories.get(id) ?? emptyHistory;
    },
  };
};
