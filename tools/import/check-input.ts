import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import { membersOf } from '../../adapters/stores/documents/collection-reader.ts';
import { findDocuments, type RawDocument } from '../../adapters/stores/documents/document-file.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { addDays, type Day, dayOf } from '../../src/domain/day.ts';
import { sum } from '../../src/domain/quantities.ts';
import { checkDocument } from './check-document.ts';
import { createErrors, labelOf } from './input-errors.ts';
import type { CatalogueCollection, DocumentPlace, InputFile } from './input-files.ts';
import { findJumps, jumpOn } from './list-changes.ts';
import { changedAt } from './to-stored.ts';
import { createTurns } from './turns.ts';

/**
 * A valid document of the input. It is parsed again when it is compared, and when it is written.
 */
export interface InputDocument extends DocumentPlace {
  readonly key: string;
}

export interface InputArtist extends InputDocument {
  readonly documentId: string;
  readonly songIds: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly changedAt: number;
  readonly dateAdded: Day | undefined;
}

interface InputSeries extends InputDocument {
  readonly songId: string | undefined;
}

/** The progress of a step of an import, reported at its start (0 done) and after every part. */
export interface ImportProgress {
  readonly step: 'Reading' | 'Comparing' | 'Writing';
  /** Bytes of the files for `Reading`, else artists. */
  readonly done: number;
  readonly total: number;
}

/** May throw to stop between two parts. */
export type OnProgress = (progress: ImportProgress) => void;

const textIn = (value: StoredDocument, member: string): string => String(value[member]);

export const songIdsIn = ({ songs }: StoredDocument): ReadonlySet<string> =>
  new Set(Array.isArray(songs) ? songs.map((song) => textIn(membersOf(song), 'id')) : []);

const joinPoints = ': join their points, or import the documents one by one';

/** Days ahead without a warning: it may be tomorrow elsewhere. */
const maxDaysAhead = 2;

/**
 * Collects the valid documents of the input by key. Rejects a document with the key of an earlier
 * one.
 */
const createCollector = (latestDay: Day) => {
  const found = createErrors();
  const artists = new Map<string, InputArtist>();
  const documentIds = new Map<string, DocumentPlace>();
  /** By the artist's stable id, then by key. */
  const series = new Map<string, Map<string, InputSeries>>();
  const labels = new Map<string, InputDocument>();

  const isRepeated = (
    place: DocumentPlace,
    path: string,
    value: string,
    first: DocumentPlace | undefined,
    remedy = '',
  ): boolean => {
    if (first === undefined) return false;
    found.add(place, {
      path,
      message: `${value} is already in ${first.file.path} line ${first.line}${remedy}`,
    });
    return true;
  };
  const add: Readonly<
    Record<CatalogueCollection, (place: DocumentPlace, value: StoredDocument) => void>
  > = {
    artists(place, value) {
      const [key, documentId] = [textIn(value, 'id'), textIn(value, '_id')];
      const repeatsId = isRepeated(place, 'id', key, artists.get(key));
      const repeatsDocument = isRepeated(place, '_id', documentId, documentIds.get(documentId));
      if (repeatsId || repeatsDocument) return;
      artists.set(key, {
        ...place,
        key,
        documentId,
        songIds: songIdsIn(value),
        changedAt: changedAt(value),
        dateAdded: typeof value['date_added'] === 'string' ? value['date_added'] : undefined,
      });
      documentIds.set(documentId, place);
    },
    history(place, value) {
      const [artistId, metric, key] = [
        textIn(value, 'artist_id'),
        textIn(value, 'metric'),
        storedSeriesKey(value),
      ];
      const songId = typeof value['song_id'] === 'string' ? value['song_id'] : undefined;
      const others = series.get(artistId) ?? new Map<string, InputSeries>();
      if (isRepeated(place, 'metric', metric, others.get(key), joinPoints)) return;
      for (const day of findJumps(value)) found.warning(place, jumpOn(day));
      others.set(key, { ...place, key, songId });
      series.set(artistId, others);
    },
    labels(place, value) {
      const key = textIn(value, 'name');
      if (!isRepeated(place, 'name', key, labels.get(key))) labels.set(key, { ...place, key });
    },
  };
  const check = (file: InputFile, raw: RawDocument): void => {
    const { value, issues, warnings } = checkDocument(file.collection, raw, latestDay);
    const place = { file, line: raw.line, bytes: raw.bytes, ...labelOf(value) };
    for (const warning of warnings) found.warning(place, warning);
    for (const issue of issues) found.add(place, issue);
    if (issues.length === 0 && value !== undefined) add[file.collection](place, value);
  };
  return { check, input: { artists, series, labels, found } };
};

/**
 * Checks every document of the input, and that no two documents of a collection have the same key.
 * Keeps only keys and positions of the documents. Stops early if there are too many errors.
 */
export const checkInput = async (
  files: readonly InputFile[],
  { now, onProgress }: { readonly now: number; readonly onProgress: OnProgress },
) => {
  const { check, input } = createCollector(addDays(dayOf(now), maxDaysAhead));
  const total = sum(files.map(({ bytes }) => bytes.length));
  const turn = createTurns();
  const checkAll = async (): Promise<void> => {
    let done = 0;
    for (const file of files) {
      let isEmpty = true;
      for (const raw of findDocuments(file.bytes, file.path)) {
        if (raw !== undefined) {
          isEmpty = false;
          check(file, raw);
        }
        if (input.found.isFull()) return;
        done += raw?.bytes.length ?? 0;
        await turn();
        onProgress({ step: 'Reading', done, total });
      }
      if (isEmpty) input.found.warningWhole(file.path, 'has no document');
    }
  };
  await checkAll();
  onProgress({ step: 'Reading', done: total, total });
  const collections = new Set(files.map(({ collection }) => collection));
  return { ...input, collections };
};

export type CheckedInput = Awaited<ReturnType<typeof checkInput>>;
