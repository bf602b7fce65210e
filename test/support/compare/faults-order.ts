import type { ArtistsAnswer, Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Artist } from '../../../src/domain/model.ts';
import { currentArtists, type Fault, variantArtists } from './faulty.ts';

/** Changes the artists of every answer, in both forms. */
const artistsOf =
  (change: (artists: readonly Artist[]) => readonly Artist[]) =>
  (catalogue: Catalogue): Catalogue => {
    const changed = (answer: ArtistsAnswer): ArtistsAnswer => ({ ...answer, artists: change(answer.artists) });
    return {
      ...catalogue,
      artists: (question, viewer) => changed(catalogue.artists(question, viewer)),
      added: (question, viewer) => changed(catalogue.added(question, viewer)),
    };
  };

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Lists in a wrong order, in one form or in both. */
export const orderFaults: readonly Fault[] = [
  {
    group: 'order',
    name: 'the variant form lists artists by name',
    forms: variantArtists({
      ask: (catalogue, question, viewer) => {
        const answer = catalogue.artists(question, viewer);
        return { ...answer, artists: answer.artists.toSorted((left, right) => byText(left.name, right.name)) };
      },
    }),
  },
  {
    group: 'order',
    name: 'both forms list the oldest first',
    catalogue: artistsOf((artists) => artists.toReversed()),
  },
  {
    group: 'order',
    name: 'of one day, both forms list the greater id first',
    catalogue: artistsOf((artists) =>
      artists.toSorted((left, right) =>
        left.dateAdded === right.dateAdded ? byText(right.id, left.id) : artists.indexOf(left) - artists.indexOf(right),
      ),
    ),
  },
  {
    group: 'order',
    name: 'the variant form lists songs backwards',
    forms: variantArtists({ full: (wire) => ({ ...wire, songs: wire.songs?.toReversed() }) }),
  },
  {
    group: 'order',
    name: 'both forms list songs backwards',
    catalogue: artistsOf((artists) => artists.map((artist) => ({ ...artist, songs: artist.songs.toReversed() }))),
  },
  {
    group: 'order',
    name: 'both forms list spikes by metric',
    catalogue: (catalogue) => ({
      ...catalogue,
      spikes: (question, viewer) => {
        const answer = catalogue.spikes(question, viewer);
        return { ...answer, spikes: answer.spikes.toSorted((left, right) => byText(left.metric, right.metric)) };
      },
    }),
  },
  {
    group: 'order',
    name: 'both forms list signings by capitals first',
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => {
        const answer = catalogue.signings(viewer);
        const inOrder = answer.signings.toSorted((left, right) => byText(left.artistName, right.artistName));
        return { ...answer, signings: inOrder };
      },
    }),
  },
  {
    group: 'order',
    name: 'points of a history are in reverse order',
    forms: currentArtists({
      showHistory: (wire) => ({
        ...wire,
        history: Object.fromEntries(
          Object.entries(wire.history ?? {}).map(([name, points]) => [name, points.toReversed()]),
        ),
      }),
    }),
  },
];
