import type { Artist, History } from '../domain/model.ts';
import { dataUnavailable } from '../domain/problem.ts';
import type { Signing, Spike } from '../domain/signals.ts';
import type { HistorySource } from '../ports.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { AddedQuery, ArtistQuery, ArtistsQuery, SpikesQuery, Viewer } from './queries.ts';
import type { Redaction } from './redaction.ts';
import { noSuchArtist, select } from './selection.ts';
import { identityOf, type Snapshot } from './snapshot.ts';
import type { SpikeFinder } from './spikes.ts';

/**
 * Computes a text that identifies the data of a result, for its ETag. Equal texts mean equal data
 * on every replica. Uses ids, change times and the source's content marks, not the data itself.
 */
export type Identity = () => string;

export interface ArtistsResult {
  readonly identity: Identity;
  /** In list order, with only the fields that the viewer may see. */
  readonly artists: readonly Artist[];
  readonly nextCursor: string | undefined;
  /**
   * The same artists with their histories still to be loaded; `undefined` unless the query
   * includes history.
   */
  readonly withHistory: readonly ArtistWithHistory[] | undefined;
}

/** An artist with only the fields that the viewer may see, and its history, loaded on demand. */
export interface ArtistWithHistory {
  readonly artist: Artist;
  /** Raises `unavailable` if the history cannot be read. */
  readonly readHistory: () => Promise<History>;
}

export interface ArtistResult extends ArtistWithHistory {
  readonly identity: Identity;
}

export interface SpikesResult {
  readonly identity: Identity;
  readonly spikes: readonly Spike[];
  readonly days: number;
}

export interface SigningsResult {
  readonly identity: Identity;
  readonly signings: readonly Signing[];
  /** Names of all tracked labels, alphabetical. */
  readonly labels: readonly string[];
}

/** Runs the queries of all forms on one snapshot. */
export interface Catalogue {
  readonly snapshot: Snapshot;
  /** Raises `invalid-cursor`, and `not-found` for an unknown document id. */
  artists(query: ArtistsQuery, viewer: Viewer): ArtistsResult;
  /** Raises `not-found`. */
  artist(query: ArtistQuery, viewer: Viewer): ArtistResult;
  added(query: AddedQuery, viewer: Viewer): ArtistsResult;
  spikes(query: SpikesQuery, viewer: Viewer): Promise<SpikesResult>;
  signings(viewer: Viewer): SigningsResult;
  /** Number of artists whose history was incomplete when last read. */
  incompleteHistories(): number;
}

/** Parts that all catalogues of a process share, independent of the snapshot. */
export interface CatalogueParts {
  readonly histories: HistorySource;
  readonly redaction: Redaction;
  readonly spikes: SpikeFinder;
}

/**
 * Creates the catalogue of one snapshot.
 *
 * @param incomplete the artists whose history was incomplete when it was last read
 */
export const createCatalogue = (
  snapshot: Snapshot,
  parts: CatalogueParts,
  incomplete: WeakSet<Artist>,
): Catalogue => {
  const { histories, redaction } = parts;
  const identityById = (id: string): string => {
    const listed = snapshot.listed[snapshot.byId.get(id) ?? -1];
    return listed === undefined ? id : identityOf(listed);
  };
  const identityOfAll = (artists: readonly Artist[]): string =>
    artists.map(({ id }) => identityById(id)).join('\n');

  /** Pairs the redacted artist with the history of the artist in this snapshot. */
  const withHistory = (artist: Artist, redacted: Artist): ArtistWithHistory => ({
    artist: redacted,
    async readHistory() {
      const history = await histories.read(artist).catch((cause: unknown) => {
        throw dataUnavailable(cause);
      });
      if (history.complete) incomplete.delete(artist);
      else incomplete.add(artist);
      return history;
    },
  });

  const artists = (
    { filters, limit, cursor, includeHistory }: ArtistsQuery,
    viewer: Viewer,
  ): ArtistsResult => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, filters);
    const { artists: selected, more } = select(snapshot, filters, viewer, limit, after);
    const last = selected.at(-1);
    const redacted = selected.map((artist) => redaction.artist(artist, viewer.scopes));
    return {
      identity: () => `${more}\n${identityOfAll(selected)}`,
      artists: redacted,
      nextCursor: more && last !== undefined ? encodeCursor(last, filters) : undefined,
      withHistory: includeHistory
        ? redacted.map((artist, index) => withHistory(selected[index] ?? artist, artist))
        : undefined,
    };
  };

  return {
    snapshot,
    artists,

    artist({ id }, viewer) {
      const found = snapshot.listed[snapshot.byId.get(id) ?? -1]?.artist;
      if (found === undefined) throw noSuchArtist(snapshot.byDocumentId.has(id));
      return {
        identity: () => identityById(id),
        ...withHistory(found, redaction.artist(found, viewer.scopes)),
      };
    },

    added({ days, limit }, viewer) {
      const result = artists({ filters: { addedWithinDays: days }, limit }, viewer);
      return { ...result, identity: () => identityOfAll(result.artists), nextCursor: undefined };
    },

    async spikes({ days }, { today }) {
      const { spikes, identity } = await parts.spikes(snapshot.listed, days, today);
      return { identity: () => identity, spikes, days };
    },

    signings(viewer) {
      const { signings, labels } = snapshot;
      return {
        identity: () => {
          const tracked = JSON.stringify(snapshot.contents.labels);
          return `${tracked}\n${signings.inOrder.map(({ artistId }) => identityById(artistId)).join('\n')}`;
        },
        signings: signings.inOrder.map((signing) => redaction.signing(signing, viewer.scopes)),
        labels,
      };
    },

    incompleteHistories: () =>
      snapshot.listed.filter(({ artist }) => incomplete.has(artist)).length,
  };
};
