import { isDeepStrictEqual } from 'node:util';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { ListedArtist } from '../../../src/ports.ts';
import { faultOf } from './faults.ts';

/**
 * `updated_at` as a comparable value: epoch milliseconds of a date, else a description of the
 * value.
 */
export type Revision = number | string;

/** A document of the last load: its revision, its last good version, and its faults. */
export interface TrackedDocument {
  readonly key: string;
  readonly revision: Revision;
  readonly listed: ListedArtist | undefined;
  readonly faults: readonly DocumentFault[];
}

export type TrackedByKey = ReadonlyMap<string, TrackedDocument>;

const isEqual = (left: ListedArtist, right: ListedArtist): boolean =>
  left.content === right.content &&
  JSON.stringify(left.artist) === JSON.stringify(right.artist) &&
  isDeepStrictEqual(left.recent, right.recent);

/** The previous artist if it is equal, so that everything derived from it is kept. */
export const previousIfEqual = (
  previous: ListedArtist | undefined,
  listed: ListedArtist,
): ListedArtist => (previous !== undefined && isEqual(previous, listed) ? previous : listed);

const silentChangeEvent = 'content changed without a newer updated_at';

/**
 * A fault if the content or the recent points changed but the change time is not newer: gateways
 * and clients may miss such a change. `isExplained`: the history was emptied, which was reported as
 * a whole or confirmed.
 */
export const silentChange = (
  before: Pick<TrackedDocument, 'listed' | 'faults'> | undefined,
  listed: ListedArtist,
  isExplained = false,
): readonly DocumentFault[] => {
  const previous = before?.listed;
  const { artist } = listed;
  if (previous === undefined || artist.updatedAt > previous.artist.updatedAt) return [];
  const unchanged = {
    ...(isExplained ? listed : previous),
    artist: { ...previous.artist, updatedAt: artist.updatedAt },
  };
  if (isEqual(unchanged, listed))
    return before?.faults.filter(({ event }) => event === silentChangeEvent) ?? [];
  const issue = { path: 'updated_at', message: 'must move forward with every change' };
  return [faultOf(silentChangeEvent, 'artists', artist.documentId, issue)];
};
