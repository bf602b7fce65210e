import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents } from '../../../src/ports.ts';
import type { YieldingWork } from '../../../src/runtime/cooperative.ts';
import { artist } from '../documents/catalogue-members.ts';
import { createDaysInterner, createInterner } from '../documents/intern.ts';
import { contentsOfCatalogue, type TrackedCatalogue, type TrackedDocument } from '../documents/tracked-document.ts';
import { type CollectionRow, collectionRows, createCollectionBuilder } from './collection-rows.ts';
import type { CopyCodec } from './kept-source.ts';
import { encodeRecent, RecalledArtist } from './series-cells.ts';

/** What the source knows of a document, and the artist as it is stored. The row before holds the cells of its series. */
type ArtistRow = Omit<TrackedDocument, 'listed'> & {
  readonly artist?: unknown;
  readonly content?: string;
};

type CatalogueRow =
  | readonly ['artist', ArtistRow]
  | CollectionRow<'labels'>
  | readonly ['fault', DocumentFault]
  | readonly ['confirmation', collection: string, confirmation: string];

/** Every row begins with its kind, but the cells of series, which are parsed when they are first read. */
const isCells = (row: string): boolean => !row.startsWith('["');

/** Rows decoded in one turn of the event loop: about two milliseconds. */
const rowsPerStep = 50;

const line = (row: CatalogueRow): string => JSON.stringify(row);

/** The rows of a copy of the catalogue, each made when it is asked for. */
function* encodeCatalogue({ artists, labels, faults, confirmations }: TrackedCatalogue): Iterable<string> {
  for (const { listed, ...document } of artists.values()) {
    if (listed === undefined) {
      yield line(['artist', document]);
      continue;
    }
    const { content } = listed;
    const row = { ...document, ...(content !== undefined && { content }), artist: artist.toStored(listed.artist) };
    yield encodeRecent(listed.recent);
    yield line(['artist', row]);
  }
  for (const row of collectionRows('labels', labels)) yield line(row);
  for (const fault of faults) yield line(['fault', fault]);
  for (const confirmation of confirmations) yield line(['confirmation', ...confirmation]);
}

/** Reads the rows of a copy of the catalogue. */
function* decodeCatalogue(rows: Iterable<string>): YieldingWork<TrackedCatalogue> {
  const intern = createInterner();
  const shareDays = createDaysInterner();
  const artists = new Map<string, TrackedDocument>();
  const labels = createCollectionBuilder<Label>();
  const faults: DocumentFault[] = [];
  const confirmations = new Map<string, string>();

  const track = ({ artist: stored, content, ...document }: ArtistRow, recent: string): void => {
    const listed =
      stored === undefined ? undefined : new RecalledArtist(intern(artist.toModel(stored)), content, recent, shareDays);
    artists.set(document.key, { ...document, listed });
  };

  const add = (row: CatalogueRow, recent: string): void => {
    if (row[0] === 'artist') track(row[1], recent);
    else if (row[0] === 'labels') labels.add(row);
    else if (row[0] === 'fault') faults.push(row[1]);
    else confirmations.set(row[1], row[2]);
  };

  let count = 0;
  let recent = '';
  for (const text of rows) {
    if (isCells(text)) recent = text;
    else add(JSON.parse(text), recent); // the checksum and the version say that it is a row
    count += 1;
    if (count % rowsPerStep === 0) yield;
  }
  return { artists, labels: labels.built, faults, confirmations };
}

/** Decodes the points that were not needed to serve the first page, in steps: the first request for spikes reads all of them. */
function* completeCatalogue({ artists }: TrackedCatalogue): YieldingWork<void> {
  for (const { listed } of artists.values()) {
    if (listed !== undefined && listed.recent.length > 0) yield;
  }
}

/** Artists with their recent points, and labels. */
export const catalogueCodec: CopyCodec<CatalogueContents, TrackedCatalogue> = {
  unit: 'catalogue',
  encode: encodeCatalogue,
  decode: decodeCatalogue,
  contentsOf: contentsOfCatalogue,
  complete: completeCatalogue,
};
