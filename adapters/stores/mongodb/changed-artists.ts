import type { Db, ObjectId } from 'mongodb';
import type { Artist } from '../../../src/domain/model.ts';
import { parseArtist } from '../documents/catalogue-documents.ts';
import { describeId } from '../documents/document-id.ts';
import { faultOf, parseFaults } from '../documents/faults.ts';
import type { Interner, ShareDays } from '../documents/intern.ts';
import { mapParsed, type Parsed } from '../documents/parse-result.ts';
import {
  previousIfEqual,
  type Revision,
  silentChange,
  type TrackedByKey,
  type TrackedDocument,
} from '../documents/tracked-document.ts';
import { readBson, readInBatches } from './batches.ts';
import { parseBatchSize, type RecentSeries, readRecent } from './recent-series.ts';

export type DocumentId = string | ObjectId;

export interface ChangedDocument {
  readonly key: string;
  readonly id: DocumentId;
  readonly revision: Revision;
}

/** The revision of a stored artist. */
export const revisionOf = (instant: unknown): Revision =>
  instant instanceof Date ? instant.getTime() : describeId(instant);

/** Identifies a document by its `_id`: an ObjectId and its hex text are two documents. */
export const keyOfId = (id: unknown): string =>
  typeof id === 'string' ? `text ${id}` : `no text ${describeId(id)}`;

/** A document with an unusable `_id`; `message` describes it. */
export const unusableId = (
  key: string,
  revision: Revision,
  document: string,
  message: string,
): TrackedDocument => {
  const fault = faultOf('invalid document ignored', 'artists', document, { path: '_id', message });
  return { key, revision, listed: undefined, faults: [fault] };
};

export interface ReadOptions {
  readonly intern: Interner;
  readonly shareDays: ShareDays;
  /** The documents of the last load. */
  readonly tracked: TrackedByKey;
  /** True if the history was empty and is ignored. */
  readonly ignoresHistory: boolean;
  /** True after a load that ignored the history, or if an empty history was confirmed since. */
  readonly readsAll: boolean;
  /**
   * The last confirmation of an empty history, and if it is empty; an empty text without either.
   */
  readonly historyConfirmation: string;
}

/** Names an artist by both ids: partners see only the stable id. */
const nameOf = (document: Readonly<Record<string, unknown>>): string =>
  `${describeId(document['_id'])} (id ${describeId(document['id'])})`;

const trackArtist = (
  { key, revision }: ChangedDocument,
  name: string,
  parsed: Parsed<Artist>,
  recent: RecentSeries,
  { tracked, ignoresHistory, readsAll, historyConfirmation }: ReadOptions,
): TrackedDocument => {
  const before = tracked.get(key);
  const previous = before?.listed;
  const parseFault = parseFaults('artists', () => name, parsed, previous !== undefined);
  if ('issue' in parsed) return { key, revision, listed: previous, faults: parseFault };
  const { model: artist, leftOut = [] } = parsed;
  const { series, faults } = ignoresHistory
    ? { series: previous?.recent ?? [], faults: [] }
    : recent;
  // Data left out because of a fault is part of the identity, until the fault is fixed.
  const leftOutOfSeries = faults.map(({ document, reason }) => `${document} ${reason}`);
  // An emptied history is too: it changes no artist's change time.
  const emptied = historyConfirmation === '' ? [] : [`history emptied ${historyConfirmation}`];
  const content = [...emptied, ...leftOut.map(({ path }) => path), ...leftOutOfSeries].join(' ');
  const listed = previousIfEqual(previous, {
    artist,
    recent: series,
    ...(content !== '' && { content }),
  });
  return {
    key,
    revision,
    listed,
    faults: [...parseFault, ...silentChange(before, listed, readsAll || ignoresHistory), ...faults],
  };
};

const noRecent: RecentSeries = { series: [], faults: [] };

/**
 * Reads artists and their recent points, by key. Omits documents deleted in the meantime. Rejects
 * if MongoDB fails.
 */
export const readChanged = async (
  db: Db,
  changed: readonly ChangedDocument[],
  options: ReadOptions,
): Promise<Map<string, TrackedDocument>> => {
  const parsed: { changed: ChangedDocument; name: string; result: Parsed<Artist> }[] = [];
  const byId = { _id: { $in: changed.map(({ id }) => id) } };
  for await (const documents of readInBatches(db.collection('artists'), byId, parseBatchSize)) {
    for (const document of documents.map(readBson)) {
      const revision = revisionOf(document['updated_at']);
      const result = mapParsed(parseArtist(document), options.intern);
      parsed.push({
        changed: { key: keyOfId(document['_id']), id: document['_id'], revision },
        name: nameOf(document),
        result,
      });
    }
  }
  const ids = options.ignoresHistory
    ? []
    : parsed.flatMap(({ result }) => ('issue' in result ? [] : [result.model.id]));
  const recent = await readRecent(db, ids, options.shareDays);
  return new Map(
    parsed.map(({ changed, name, result }) => {
      const series = 'model' in result ? recent.get(result.model.id) : undefined;
      return [changed.key, trackArtist(changed, name, result, series ?? noRecent, options)];
    }),
  );
};
