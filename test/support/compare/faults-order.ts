import { currentArtists, faultsOf, listing, mapValues, variantArtists } from './faulty.ts';

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Lists in a wrong order, in one form or in both. */
export const orderFaults = faultsOf('order', {
  'the variant form lists artists by name': {
    forms: variantArtists({
      catalogue: listing((artists) => artists.toSorted((left, right) => byText(left.name, right.name))),
    }),
  },
  'both forms list the oldest first': { catalogue: listing((artists) => artists.toReversed()) },
  'of one day, both forms list the greater id first': {
    catalogue: listing((artists) =>
      artists.toSorted((left, right) =>
        left.dateAdded === right.dateAdded ? byText(right.id, left.id) : artists.indexOf(left) - artists.indexOf(right),
      ),
    ),
  },
  'the variant form lists songs backwards': {
    forms: variantArtists({ show: (wire) => ({ ...wire, songs: wire.songs?.toReversed() }) }),
  },
  'both forms list songs backwards': {
    catalogue: listing((artists) => artists.map((artist) => ({ ...artist, songs: artist.songs.toReversed() }))),
  },
  'both forms list spikes by metric': {
    catalogue: (catalogue) => ({
      ...catalogue,
      spikes: async (question, viewer) => {
        const answer = await catalogue.spikes(question, viewer);
        const spikes = answer.spikes
          .slice(0, answer.spikes.length)
          .toSorted((left, right) => byText(left.metric, right.metric));
        return { ...answer, spikes: Object.assign(spikes, { identity: '' }) };
      },
    }),
  },
  'both forms list signings by capitals first': {
    catalogue: (catalogue) => ({
      ...catalogue,
      signings: (viewer) => {
        const answer = catalogue.signings(viewer);
        const inOrder = answer.signings.toSorted((left, right) => byText(left.artistName, right.artistName));
        return { ...answer, signings: inOrder };
      },
    }),
  },
  'points of a history are in reverse order': {
    forms: currentArtists({
      showHistory: (wire) => ({ ...wire, history: mapValues(wire.history, (points) => points.toReversed()) }),
    }),
  },
});
