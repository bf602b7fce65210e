import type { Artist, Label, Series } from '../../../src/domain/model.ts';
import { type Parsed, parseArtist, parseLabel, parseSeries } from '../documents/catalogue-documents.ts';
import type { StoredDocument } from '../mongodb/import.ts';
import type { ImportError, Input, InputDocument, Place } from './input-files.ts';
import { seriesKeyOf } from './series-key.ts';

/** A document that is valid by itself, and what it says. */
export interface Checked<Model> extends Place {
  readonly value: StoredDocument;
  readonly model: Model;
}

/** The input as far as it is valid, and what is not. */
export interface CheckedInput {
  readonly artists: readonly Checked<Artist>[];
  readonly series: readonly Checked<Series>[];
  readonly labels: readonly Checked<Label>[];
  readonly refused: readonly ImportError[];
  /** Artists that are there but were refused for something else: what refers to them is not refused for that. */
  readonly refusedIds: ReadonlySet<string>;
}

const isObject = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refusalAt = ({ file, line }: Place, member: string, reason: string): ImportError => ({
  file,
  line,
  member,
  reason,
});

const checkAll = <Model>(
  documents: readonly InputDocument[],
  parse: (value: unknown) => Parsed<Model>,
  refused: ImportError[],
): Checked<Model>[] =>
  documents.flatMap((document) => {
    const { file, line, value } = document;
    const parsed = parse(value);
    if ('model' in parsed && isObject(value)) return [{ file, line, value, model: parsed.model }];
    const [member = 'document', ...reason] =
      'reason' in parsed ? parsed.reason.split(': ') : ['document', 'is no object'];
    refused.push(refusalAt(document, member, reason.join(': ')));
    return [];
  });

/** Refuses every document that bears a name which one before it bears already. */
const refuseRepeated = <Model>(
  checked: readonly Checked<Model>[],
  member: string,
  nameOf: (model: Model) => string,
  refused: ImportError[],
): void => {
  const first = new Map<string, Place>();
  for (const document of checked) {
    const name = nameOf(document.model);
    const before = first.get(name);
    if (before === undefined) first.set(name, document);
    else refused.push(refusalAt(document, member, `${name} stands already in ${before.file} line ${before.line}`));
  }
};

const refuseRepeatedSongs = (artists: readonly Checked<Artist>[], refused: ImportError[]): void => {
  for (const document of artists) {
    const ids = document.model.songs.map(({ id }) => id);
    const repeated = ids.find((id, place) => ids.indexOf(id) !== place);
    if (repeated !== undefined) refused.push(refusalAt(document, 'songs', `the song ${repeated} is there twice`));
  }
};

const idsOf = (documents: readonly InputDocument[]): string[] =>
  documents.flatMap(({ value }) => (isObject(value) && typeof value['id'] === 'string' ? [value['id']] : []));

/** Checks every document by itself, and that no two have the same name. */
export const checkInput = ({ documents, errors: unread }: Input): CheckedInput => {
  const refused = [...unread];
  const of = (collection: string) => documents.filter((document) => document.collection === collection);
  const artists = checkAll(of('artists'), parseArtist, refused);
  const series = checkAll(of('history'), parseSeries, refused);
  const labels = checkAll(of('labels'), parseLabel, refused);
  refuseRepeated(artists, 'id', ({ id }) => id, refused);
  refuseRepeated(artists, '_id', ({ documentId }) => documentId, refused);
  refuseRepeatedSongs(artists, refused);
  refuseRepeated(series, 'metric', seriesKeyOf, refused);
  refuseRepeated(labels, 'name', ({ name }) => name, refused);
  const valid = new Set(artists.map(({ model }) => model.id));
  const refusedIds = new Set(idsOf(of('artists')).filter((id) => !valid.has(id)));
  return { artists, series, labels, refused, refusedIds };
};

/** The songs of every artist in the input, by the artist's id. */
export const songsByArtist = (artists: readonly Checked<Artist>[]): Map<string, ReadonlySet<string>> =>
  new Map(artists.map(({ model }) => [model.id, new Set(model.songs.map(({ id }) => id))]));

/** Refuses series whose artist, or whose song of it, is neither in the input nor stored. */
export const findDangling = (
  { series, refusedIds }: CheckedInput,
  songs: ReadonlyMap<string, ReadonlySet<string>>,
): ImportError[] =>
  series.flatMap((document) => {
    const { artistId, songId } = document.model;
    if (refusedIds.has(artistId)) return [];
    const known = songs.get(artistId);
    if (known === undefined) return [refusalAt(document, 'artist_id', `there is no artist ${artistId}`)];
    if (songId === undefined || known.has(songId)) return [];
    return [refusalAt(document, 'song_id', `the artist ${artistId} has no song ${songId}`)];
  });
