import type { Day } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { YieldingWork } from '../../../src/runtime/cooperative.ts';
import type { Revision, TrackedCatalogue, TrackedDocument } from '../documents/tracked-document.ts';
import { type ArtistCells, decodeArtist, encodeArtist } from './artist-cells.ts';
import { type CollectionRow, collectionRows, createCollectionBuilder } from './collection-rows.ts';
import { RecalledArtist } from './recalled-artist.ts';
import { createSeriesEncoder } from './series-cells.ts';
import { createResolving, createSharing } from './sharing.ts';

/** A document; behind it, after a tab, the cells of its series. */
type TrackedRow = readonly [
  kind: 'tracked',
  key: string,
  revision: Revision,
  keepsRecent: boolean,
  faults: readonly DocumentFault[],
  artist?: ArtistCells,
  content?: string,
];

type CatalogueRow =
  | TrackedRow
  | CollectionRow<'labels'>
  | readonly ['days', readonly Day[]]
  | readonly ['fault', DocumentFault]
  | readonly ['confirmation', collection: string, confirmation: string];

const tab = '\t'; // JSON has none

/** Rows decoded in one turn of the event loop: about two milliseconds. */
const rowsPerStep = 50;

const line = (row: CatalogueRow): string => JSON.stringify(row);

/** The rows of a copy of the catalogue, each made when it is asked for. */
export function* encodeCatalogue({ artists, labels, faults, confirmations }: TrackedCatalogue): Iterable<string> {
  const share = createSharing();
  const series = createSeriesEncoder();
  for (const { key, revision, keepsRecent, faults: of, listed } of artists.values()) {
    const row = ['tracked', key, revision, keepsRecent, of] as const;
    if (listed === undefined) {
      yield line(row);
      continue;
    }
    const recent = JSON.stringify(listed.recent.map(series.encode));
    for (const days of series.newLists()) yield line(['days', days]);
    const artist = encodeArtist(listed.artist, share);
    const all =
      listed.content === undefined ? ([...row, artist] as const) : ([...row, artist, listed.content] as const);
    yield line(all) + tab + recent;
  }
  for (const row of collectionRows('labels', labels)) yield line(row);
  for (const fault of faults) yield line(['fault', fault]);
  for (const confirmation of confirmations) yield line(['confirmation', ...confirmation]);
}

/** Reads the rows of a copy of the catalogue. */
export function* decodeCatalogue(rows: Iterable<string>): YieldingWork<TrackedCatalogue> {
  const resolve = createResolving();
  const artists = new Map<string, TrackedDocument>();
  const labels = createCollectionBuilder<Label>();
  const days: (readonly Day[])[] = [];
  const faults: DocumentFault[] = [];
  const confirmations = new Map<string, string>();

  const track = ([, key, revision, keepsRecent, of, cells, content]: TrackedRow, recent: string): void => {
    const artist = cells && decodeArtist(cells, resolve);
    const listed = artist && new RecalledArtist(artist, content, recent, days);
    artists.set(key, { key, revision, listed, faults: of, keepsRecent });
  };

  let count = 0;
  for (const text of rows) {
    const end = text.indexOf(tab);
    const row: CatalogueRow = JSON.parse(end === -1 ? text : text.slice(0, end)); // the checksum and the version say so
    if (row[0] === 'tracked') track(row, text.slice(end + 1));
    else if (row[0] === 'labels') labels.add(row);
    else if (row[0] === 'days') days.push(row[1]);
    else if (row[0] === 'fault') faults.push(row[1]);
    else confirmations.set(row[1], row[2]);
    count += 1;
    if (count % rowsPerStep === 0) yield;
  }
  return { artists, labels: labels.built, faults, confirmations };
}

/** Decodes the points that were not needed to serve the first page, in steps: the first request for spikes reads all of them. */
export function* completeCatalogue({ artists }: TrackedCatalogue): YieldingWork<void> {
  for (const { listed } of artists.values()) {
    if (listed !== undefined && listed.recent.length > 0) yield;
  }
}
