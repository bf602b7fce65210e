import type { Artist, Engine, History, Signing, Spike } from '../domain/model.ts';
import { Problem } from '../domain/problem.ts';
import type { HistorySource } from '../ports.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Disclosure } from './disclosure.ts';
import type { AddedQuestion, ArtistQuestion, ArtistsQuestion, SpikesQuestion, Viewer } from './questions.ts';
import { select } from './selection.ts';
import type { Snapshot } from './snapshot.ts';
import { engine, type SpikeFinder } from './spikes.ts';

/**
 * What identifies the data of an answer: equal texts, equal data, on every replica. Made from ids and instants of change,
 * not from the data itself, and only when somebody wants to know.
 */
export type Identity = () => string;

export interface ArtistsAnswer {
  readonly identity: Identity;
  /** Disclosed, in list order. */
  readonly artists: readonly Artist[];
  readonly nextCursor: string | undefined;
  /** The same artists and their histories, still to be read; only when the question includes history. */
  readonly withHistory: readonly ArtistWithHistory[] | undefined;
}

/** A disclosed artist and its history, which is read when somebody wants it. */
export interface ArtistWithHistory {
  readonly artist: Artist;
  /** Raises `unavailable` when it cannot be read. */
  readonly readHistory: () => Promise<History>;
}

export interface ArtistAnswer extends ArtistWithHistory {
  readonly identity: Identity;
}

export interface SpikesAnswer {
  readonly identity: Identity;
  readonly spikes: readonly Spike[];
  readonly days: number;
  readonly engine: Engine;
}

export interface SigningsAnswer {
  readonly identity: Identity;
  readonly signings: readonly Signing[];
  /** Names of all tracked labels, alphabetical. */
  readonly labels: readonly string[];
}

/** The query service: every question of the specification, over one snapshot. */
export interface Catalogue {
  readonly snapshot: Snapshot;
  /** Raises `invalid-cursor`, and `not-found` for an unknown document id. */
  artists(question: ArtistsQuestion, asker: Viewer): ArtistsAnswer;
  /** Raises `not-found`. */
  artist(question: ArtistQuestion, asker: Viewer): ArtistAnswer;
  added(question: AddedQuestion, asker: Viewer): ArtistsAnswer;
  spikes(question: SpikesQuestion, asker: Viewer): SpikesAnswer;
  signings(asker: Viewer): SigningsAnswer;
}

/** What outlives a snapshot: where histories are read, who may see what, when movement is a spike. */
export interface CatalogueParts {
  readonly histories: HistorySource;
  readonly disclosure: Disclosure;
  readonly spikes: SpikeFinder;
}

const identityOf = (artist: Artist): string => `${artist.id}@${artist.updatedAt}`;

const identityOfAll = (artists: readonly Artist[]): string => artists.map(identityOf).join('\n');

export const createCatalogue = (snapshot: Snapshot, parts: CatalogueParts): Catalogue => {
  const { histories, disclosure } = parts;
  const identityById = (id: string): string => {
    const artist = snapshot.listed[snapshot.byId.get(id) ?? -1]?.artist;
    return artist === undefined ? id : identityOf(artist);
  };

  const withHistory = (artist: Artist): ArtistWithHistory => ({
    artist,
    readHistory: () =>
      histories.read(artist).catch((cause: unknown) => {
        throw new Problem('unavailable', 'Artist data is temporarily unavailable.', { cause });
      }),
  });

  const artists = ({ filters, limit, cursor, includeHistory }: ArtistsQuestion, asker: Viewer): ArtistsAnswer => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, filters);
    const { artists: selected, more } = select(snapshot, filters, asker, limit, after);
    const last = selected.at(-1);
    const disclosed = selected.map((artist) => disclosure.artist(artist, asker.scopes));
    return {
      identity: () => `${more}\n${identityOfAll(selected)}`,
      artists: disclosed,
      nextCursor: more && last !== undefined ? encodeCursor(last, filters) : undefined,
      withHistory: includeHistory ? disclosed.map(withHistory) : undefined,
    };
  };

  return {
    snapshot,
    artists,

    artist({ id }, asker) {
      const found = snapshot.listed[snapshot.byId.get(id) ?? -1]?.artist;
      if (found === undefined) throw new Problem('not-found', 'No artist has this id.');
      return {
        identity: () => identityOf(found),
        ...withHistory(disclosure.artist(found, asker.scopes)),
      };
    },

    added({ days, limit }, asker) {
      const answer = artists({ filters: { addedWithinDays: days }, limit }, asker);
      return { ...answer, identity: () => identityOfAll(answer.artists), nextCursor: undefined };
    },

    spikes({ days }, { today }) {
      const spikes = parts.spikes.find(snapshot.listed, days, today);
      const { floor, thresholdPercent } = parts.spikes.settings;
      const settings = `${engine.name} ${engine.version} ${floor} ${thresholdPercent}`;
      return {
        identity: () =>
          `${today} ${days}\n${settings}\n${spikes.map(({ artistId }) => identityById(artistId)).join('\n')}`,
        spikes,
        days,
        engine,
      };
    },

    signings(asker) {
      const { signings, labels } = snapshot;
      return {
        identity: () => {
          const tracked = JSON.stringify(snapshot.contents.labels);
          return `${tracked}\n${signings.map(({ artistId }) => identityById(artistId)).join('\n')}`;
        },
        signings: signings.map((signing) => disclosure.signing(signing, asker.scopes)),
        labels,
      };
    },
  };
};
