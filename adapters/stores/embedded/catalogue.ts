import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { recentPointsOf } from '../../../src/catalogue/movements.ts';
import { type Day, dayOf } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import type { Artist, History, Series } from '../../../src/domain/model.ts';
import type {
  CatalogueContents,
  CatalogueSource,
  Clock,
  HistorySource,
  ListedArtist,
} from '../../../src/ports.ts';
import {
  createArtistRules,
  labelRules,
  seriesRules,
  toHistory,
} from '../documents/catalogue-documents.ts';
import {
  createCollectionReader,
  membersOf,
  type NamedDocument,
  type ReadCollection,
} from '../documents/collection-reader.ts';
import { createDaysInterner, type ShareDays } from '../documents/intern.ts';
import { silentChange } from '../documents/tracked-document.ts';
import { createFileReader, type FileDocuments, namedDocuments } from './files.ts';
import { newestDay, rebaseDays } from './rebase-dates.ts';

/**
 * Creates readers of the files of a catalogue folder. Each parses its file once, and again after a
 * change.
 */
export const createCatalogueReaders = (folder: string) => ({
  artists: createFileReader(folder, 'artists'),
  series: createFileReader(folder, 'history', { optional: true }),
  labels: createFileReader(folder, 'labels', { optional: true }),
});

interface EmbeddedCatalogueOptions {
  /** Folder with files of artists and optionally of history and labels. */
  readonly folder: string;
  /** By default, its own readers. */
  readonly readers?: ReturnType<typeof createCatalogueReaders>;
  readonly clock: Clock;
  /**
   * Moves every day in the files so that the newest is today: the demo catalogue never gets out of
   * date.
   */
  readonly rebaseToToday: boolean;
}

/** An artist with its history, and the fault of its last change. */
interface LoadedArtist {
  readonly listed: ListedArtist;
  readonly history: History;
  readonly faults: readonly DocumentFault[];
}

/** The ids of artists whose series could not all be read. */
const idsOfFaulty = (
  documents: readonly NamedDocument[],
  { faults }: ReadCollection<Series>,
): ReadonlySet<unknown> => {
  const faulty = new Set(faults.map(({ document }) => document));
  const ids = documents.flatMap((document) =>
    faulty.size > 0 && faulty.has(document.name()) ? [membersOf(document.value)['artist_id']] : [],
  );
  return new Set(ids);
};

const emptyHistory: History = { series: [], complete: true };

/** Length of a content hash: 16 characters hold 96 bits. */
const contentLength = 16;

/** An artist with its history. Both are part of `content`, and so of every ETag. */
const loadArtist = (
  artist: Artist,
  series: readonly Series[],
  complete: boolean,
  share: ShareDays,
): LoadedArtist => {
  const history = toHistory(series, complete);
  const text = JSON.stringify([artist, { series: history.series }]);
  const content = hash('sha256', text, 'base64url').slice(0, contentLength);
  const own = history.series.filter(({ songId }) => songId === undefined);
  const recent = own.map((one) => recentPointsOf(one, share));
  return { listed: { artist, recent, content }, history, faults: [] };
};

/**
 * The artist of the previous load if it is equal, so that it keeps its identity; else the newly
 * loaded artist.
 */
const reuse = (loaded: LoadedArtist, previous: LoadedArtist | undefined): LoadedArtist => {
  if (
    previous !== undefined &&
    loaded.listed.content === previous.listed.content &&
    loaded.history.complete === previous.history.complete &&
    isDeepStrictEqual(loaded.listed.recent, previous.listed.recent)
  )
    return previous;
  return { ...loaded, faults: silentChange(previous, loaded.listed) };
};

/**
 * Creates a catalogue and its histories from files in the stored format (data format). Reads files
 * again after a change. `load` rejects if a file is missing or cannot be parsed. Unreadable
 * documents keep their last good version or are left out, and are reported.
 */
export const createEmbeddedCatalogue = (
  options: EmbeddedCatalogueOptions,
): CatalogueSource & HistorySource => {
  const { folder, clock, rebaseToToday, readers = createCatalogueReaders(folder) } = options;
  const artistRules = createArtistRules();
  const read = {
    artists: createCollectionReader(artistRules),
    series: createCollectionReader(seriesRules),
    labels: createCollectionReader(labelRules),
  };
  const shareDays = createDaysInterner();
  /** By document, because two documents may have the same identifier. */
  let loaded = new Map<string, LoadedArtist>();
  /** A snapshot reads the histories of its own artists, even if others were loaded since. */
  const historyOf = new WeakMap<Artist, History>();
  let last: { readonly version: string; readonly contents: CatalogueContents } | undefined;

  const rebase = (files: readonly FileDocuments[], today: Day): readonly FileDocuments[] => {
    if (!rebaseToToday) return files;
    const newest = newestDay(files.flatMap(({ documents }) => documents.map(({ value }) => value)));
    return files.map((file) => ({
      ...file,
      documents: file.documents.map(({ value, position }) => ({
        value: rebaseDays(value, newest, today),
        position,
      })),
    }));
  };

  const loadArtists = (
    artists: readonly Artist[],
    series: readonly Series[],
    incomplete: ReadonlySet<unknown>,
  ): LoadedArtist[] => {
    const seriesById = groupBy(series, ({ artistId }) => artistId);
    const load = (artist: Artist) =>
      loadArtist(artist, seriesById.get(artist.id) ?? [], !incomplete.has(artist.id), shareDays);
    return artists.map((artist) => reuse(load(artist), loaded.get(artistRules.keyOf(artist))));
  };

  return {
    async load() {
      const today = dayOf(clock.now());
      const files = await Promise.all([readers.artists(), readers.series(), readers.labels()]);
      const version = [rebaseToToday ? today : '', ...files.map((file) => file.version)].join('\n');
      if (last?.version === version) return last.contents;

      const [artistFile = [], seriesFile = [], labelFile = []] = rebase(files, today).map(
        namedDocuments,
      );
      const artists = await read.artists(artistFile, true);
      const series = await read.series(seriesFile, true);
      const labels = await read.labels(labelFile, true);
      const all = loadArtists(artists.models, series.models, idsOfFaulty(seriesFile, series));
      for (const { listed, history } of all) historyOf.set(listed.artist, history);
      loaded = new Map(all.map((one) => [artistRules.keyOf(one.listed.artist), one]));
      const before = last?.contents.labels ?? [];
      const contents = {
        artists: all.map(({ listed }) => listed),
        labels: isDeepStrictEqual(before, labels.models) ? before : labels.models,
        faults: [...files, artists, series, labels, ...all].flatMap(({ faults }) => faults),
      };
      last = { version, contents };
      return last.contents;
    },

    async read(artist) {
      return historyOf.get(artist) ?? emptyHistory;
    },
  };
};
