import type { Artist, DataQuality, Editorial, Song } from '../../../src/domain/model.ts';
import type { createResolving, createSharing, Shared } from './sharing.ts';

// An artist as a row of cells in a fixed order: half the bytes of its JSON. Every member of the model is named in both
// directions, so that the compiler finds a member that is missing here. A cell that changes its meaning needs a new
// `formatVersion`.

type Maybe<Value> = Value | null;

const orNull = <Value>(value: Value | undefined): Maybe<Value> => value ?? null;
const orUndefined = <Value>(cell: Maybe<Value>): Value | undefined => cell ?? undefined;

type RightsCells = readonly [pLine: Maybe<string>, checkedAt: Maybe<string>];

type SongCells = readonly [
  id: string,
  name: string,
  artwork: Maybe<string>,
  previewUrl: Maybe<string>,
  sourceUrl: Maybe<string>,
  tiktokUrl: Maybe<string>,
  addedAt: Shared<Maybe<string>>,
  metrics: Song['metrics'],
  rights: Shared<Maybe<RightsCells>>,
];

type ProvenanceCells = readonly [sources: Maybe<readonly string[]>, method: Maybe<string>];

type DataQualityCells = readonly [
  complete: Maybe<boolean>,
  missingMetrics: Maybe<readonly string[]>,
  estimatedPoints: Maybe<number>,
  warnings: Maybe<readonly string[]>,
];

type EditorialCells = readonly [
  scoutingReport: Maybe<string>,
  highlights: Maybe<readonly string[]>,
  updatedAt: Maybe<string>,
];

export type ArtistCells = readonly [
  documentId: string,
  id: string,
  name: string,
  photoUrl: Maybe<string>,
  genres: Shared<Maybe<readonly string[]>>,
  countryCode: Shared<Maybe<string>>,
  dateAdded: Shared<Maybe<string>>,
  tier: Shared<Maybe<NonNullable<Artist['tier']>>>,
  status: Shared<Artist['status']>,
  signingStatus: Maybe<NonNullable<Artist['signing']['status']>>,
  signingNote: Maybe<string>,
  links: Artist['links'],
  metrics: Artist['metrics'],
  songs: readonly SongCells[],
  freshness: Shared<Artist['freshness']>,
  provenance: Shared<ProvenanceCells>,
  dataQuality: Shared<DataQualityCells>,
  editorial: Maybe<EditorialCells>,
  updatedAt: number,
];

const same = <Value>(value: Value): Value => value;

const rightsCells = (rights: Song['rights']): Maybe<RightsCells> =>
  rights === undefined ? null : [orNull(rights.pLine), orNull(rights.checkedAt)];

const provenanceCells = ({ sources, method }: Artist['provenance']): ProvenanceCells => [
  orNull(sources),
  orNull(method),
];

const dataQualityCells = (quality: DataQuality): DataQualityCells => [
  orNull(quality.complete),
  orNull(quality.missingMetrics),
  orNull(quality.estimatedPoints),
  orNull(quality.warnings),
];

const editorialCells = (editorial: Editorial | undefined): Maybe<EditorialCells> =>
  editorial === undefined
    ? null
    : [orNull(editorial.scoutingReport), orNull(editorial.highlights), orNull(editorial.updatedAt)];

/** The cells of an artist. */
export const encodeArtist = (artist: Artist, share: ReturnType<typeof createSharing>): ArtistCells => [
  artist.documentId,
  artist.id,
  artist.name,
  orNull(artist.photoUrl),
  share(artist.genres, orNull),
  share(artist.countryCode, orNull),
  share(artist.dateAdded, orNull),
  share(artist.tier, orNull),
  share(artist.status, same),
  orNull(artist.signing.status),
  orNull(artist.signing.note),
  artist.links,
  artist.metrics,
  artist.songs.map((song) => [
    song.id,
    song.name,
    orNull(song.artwork),
    orNull(song.previewUrl),
    orNull(song.sourceUrl),
    orNull(song.tiktokUrl),
    share(song.addedAt, orNull),
    song.metrics,
    share(song.rights, rightsCells),
  ]),
  share(artist.freshness, same),
  share(artist.provenance, provenanceCells),
  share(artist.dataQuality, dataQualityCells),
  editorialCells(artist.editorial),
  artist.updatedAt,
];

const decodeRights = (cells: Maybe<RightsCells>): Song['rights'] =>
  cells === null ? undefined : { pLine: orUndefined(cells[0]), checkedAt: orUndefined(cells[1]) };

const decodeProvenance = ([sources, method]: ProvenanceCells): Artist['provenance'] => ({
  sources: orUndefined(sources),
  method: orUndefined(method),
});

const decodeDataQuality = (cells: DataQualityCells): DataQuality => ({
  complete: orUndefined(cells[0]),
  missingMetrics: orUndefined(cells[1]),
  estimatedPoints: orUndefined(cells[2]),
  warnings: orUndefined(cells[3]),
});

const decodeEditorial = (cells: Maybe<EditorialCells>): Editorial | undefined =>
  cells === null
    ? undefined
    : {
        scoutingReport: orUndefined(cells[0]),
        highlights: orUndefined(cells[1]),
        updatedAt: orUndefined(cells[2]),
      };

/** The artist of these cells. Its members are in the order in which parsing a document makes them. */
export const decodeArtist = (cells: ArtistCells, resolve: ReturnType<typeof createResolving>): Artist => ({
  documentId: cells[0],
  id: cells[1],
  name: cells[2],
  photoUrl: orUndefined(cells[3]),
  genres: resolve(cells[4], orUndefined),
  countryCode: resolve(cells[5], orUndefined),
  dateAdded: resolve(cells[6], orUndefined),
  tier: resolve(cells[7], orUndefined),
  status: resolve(cells[8], same),
  signing: { status: orUndefined(cells[9]), note: orUndefined(cells[10]) },
  links: cells[11],
  metrics: cells[12],
  songs: cells[13].map((song) => ({
    id: song[0],
    name: song[1],
    artwork: orUndefined(song[2]),
    previewUrl: orUndefined(song[3]),
    sourceUrl: orUndefined(song[4]),
    tiktokUrl: orUndefined(song[5]),
    addedAt: resolve(song[6], orUndefined),
    metrics: song[7],
    rights: resolve(song[8], decodeRights),
  })),
  freshness: resolve(cells[14], same),
  provenance: resolve(cells[15], decodeProvenance),
  dataQuality: resolve(cells[16], decodeDataQuality),
  editorial: decodeEditorial(cells[17]),
  updatedAt: cells[18],
});
