import { isDeepStrictEqual } from 'node:util';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents, ListedArtist } from '../../../src/ports.ts';
import { forEachYielding, runYielding, type YieldingWork } from '../../../src/runtime/cooperative.ts';
import type { ReadCollection } from './collection-reader.ts';
import { faultOf } from './faults.ts';

/** `updated_at` as a comparable value: epoch milliseconds of a date, else a description of the value. */
export type Revision = number | string;

/** A document of the last load: its revision, its last good version, and its faults. */
export interface TrackedDocument {
  readonly key: string;
  readonly revision: Revision;
  readonly listed: ListedArtist | undefined;
  readonly faults: readonly DocumentFault[];
  /** Whether the points are those of a history that has been found empty since. */
  readonly keepsRecent: boolean;
}

export type TrackedByKey = ReadonlyMap<string, TrackedDocument>;

/** Immutable state of a source of the catalogue after a load; the next load starts from it. */
export interface TrackedCatalogue {
  /** In the order of `_id`. */
  readonly artists: TrackedByKey;
  readonly labels: ReadCollection<Label>;
  /** Faults of labels and of whole collections. */
  readonly faults: readonly DocumentFault[];
  /** The confirmation that each collection had when it last had documents. */
  readonly confirmations: ReadonlyMap<string, string>;
}

const silentChangeEvent = 'content changed without a newer updated_at';

/** A fault if the content or the recent points differ though the instant of change is not newer: gateways and clients may miss such a change. */
export const silentChange = (
  before: (Pick<TrackedDocument, 'listed' | 'faults'> & Partial<Pick<TrackedDocument, 'keepsRecent'>>) | undefined,
  { artist, recent, content }: ListedArtist,
): readonly DocumentFault[] => {
  const former = before?.listed;
  if (former === undefined || artist.updatedAt > former.artist.updatedAt) return [];
  const isSame =
    former.content === content &&
    isDeepStrictEqual({ ...former.artist, updatedAt: artist.updatedAt }, artist) &&
    (before?.keepsRecent || isDeepStrictEqual(former.recent, recent)); // an emptied history is reported and confirmed as a whole
  if (isSame) return before?.faults.filter(({ event }) => event === silentChangeEvent) ?? [];
  const issue = { path: 'updated_at', message: 'must move forward with every change' };
  return [faultOf(silentChangeEvent, 'artists', artist.documentId, issue)];
};

function* collectSteps(tracked: TrackedByKey): YieldingWork<Pick<CatalogueContents, 'artists' | 'faults'>> {
  const artists: ListedArtist[] = [];
  const faults: DocumentFault[] = [];
  yield* forEachYielding(tracked.values(), (document) => {
    if (document.listed !== undefined) artists.push(document.listed);
    faults.push(...document.faults);
  });
  return { artists, faults };
}

/** The contents that a load with this state returned. */
export const contentsOfCatalogue = async (state: TrackedCatalogue): Promise<CatalogueContents> => {
  const { artists, faults } = await runYielding(collectSteps(state.artists));
  return { artists, labels: state.labels.models, faults: [...faults, ...state.faults] };
};
