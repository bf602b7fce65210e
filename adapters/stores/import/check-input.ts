import type { Artist, Label, Series } from '../../../src/domain/model.ts';
import { parseArtist, parseLabel, parseSeries } from '../documents/catalogue-documents.ts';
import { type DocumentError, errorAt, type FileDocument } from '../documents/document-file.ts';
import type { Parsed } from '../documents/parse-result.ts';
import type { StoredDocument } from '../mongodb/import.ts';
import type { ImportInput } from './input-files.ts';
import { seriesKey } from './stored-document.ts';

/** A valid document of the input, with its model. */
export interface CheckedDocument<Model> extends FileDocument {
  readonly value: StoredDocument;
  readonly model: Model;
}

/** The valid documents of the input, and an error for every other one. */
export interface CheckedInput {
  readonly artists: readonly CheckedDocument<Artist>[];
  readonly series: readonly CheckedDocument<Series>[];
  readonly labels: readonly CheckedDocument<Label>[];
  readonly refused: readonly DocumentError[];
  /** Ids of refused artists: a series of such an artist is not refused as well. */
  readonly refusedArtistIds: ReadonlySet<string>;
}

const isObject = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checkAll = <Model>(
  documents: readonly FileDocument[],
  parse: (value: unknown) => Parsed<Model>,
  refused: DocumentError[],
): CheckedDocument<Model>[] =>
  documents.flatMap(({ value, position }) => {
    const parsed = parse(value);
    if ('model' in parsed && isObject(value)) return [{ value, position, model: parsed.model }];
    const issue = 'issue' in parsed ? parsed.issue : { path: 'document', message: 'is no object' };
    refused.push(errorAt(position(), issue));
    return [];
  });

/** Refuses every document whose key an earlier document has. */
const refuseDuplicates = <Model>(
  checked: readonly CheckedDocument<Model>[],
  path: string,
  keyOf: (model: Model) => string,
  refused: DocumentError[],
): void => {
  const firsts = new Map<string, FileDocument>();
  for (const document of checked) {
    const key = keyOf(document.model);
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, document);
      continue;
    }
    const { file, line } = first.position();
    refused.push(errorAt(document.position(), { path, message: `${key} stands already in ${file} line ${line}` }));
  }
};

const refuseDuplicateSongs = (artists: readonly CheckedDocument<Artist>[], refused: DocumentError[]): void => {
  for (const { model, position } of artists) {
    const ids = model.songs.map(({ id }) => id);
    const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
    if (duplicate === undefined) continue;
    refused.push(errorAt(position(), { path: 'songs', message: `the song ${duplicate} is there twice` }));
  }
};

const idsOf = (documents: readonly FileDocument[]): string[] =>
  documents.flatMap(({ value }) => (isObject(value) && typeof value['id'] === 'string' ? [value['id']] : []));

/** Checks every document by itself, and that no two documents of a collection have the same key. */
export const checkInput = ({ documents, errors }: ImportInput): CheckedInput => {
  const refused = [...errors];
  const artists = checkAll(documents.artists, parseArtist, refused);
  const series = checkAll(documents.history, parseSeries, refused);
  const labels = checkAll(documents.labels, parseLabel, refused);
  refuseDuplicates(artists, 'id', ({ id }) => id, refused);
  refuseDuplicates(artists, '_id', ({ documentId }) => documentId, refused);
  refuseDuplicateSongs(artists, refused);
  refuseDuplicates(series, 'metric', seriesKey, refused);
  refuseDuplicates(labels, 'name', ({ name }) => name, refused);
  const validIds = new Set(artists.map(({ model }) => model.id));
  const refusedArtistIds = new Set(idsOf(documents.artists).filter((id) => !validIds.has(id)));
  return { artists, series, labels, refused, refusedArtistIds };
};
