import { createEmbeddedCatalogue } from '../../../adapters/stores/embedded/catalogue.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { CatalogueContents, CatalogueSource, HistorySource, ListedArtist } from '../../../src/ports.ts';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import { createManualClock } from '../clock.ts';

export interface ShiftingCatalogue extends CatalogueSource, HistorySource {
  /** Changes numbers, texts and songs of the next 1 % of the artists. */
  changeOnePercent(): void;
}

const changed = (artist: Artist, change: number): Artist => ({
  ...artist,
  name: `${artist.name} ${change}`,
  photoUrl: change % 3 === 0 ? undefined : artist.photoUrl,
  metrics: { ...artist.metrics, spotify_streams: change * 7 },
  signing: { ...artist.signing, status: change % 2 === 0 ? 'signed' : undefined },
  songs: artist.songs.slice(0, change % 4),
  updatedAt: artist.updatedAt + change,
});

/** The artists of the example catalogue, repeated under other identifiers, with their histories. */
export const createShiftingCatalogue = async (size: number): Promise<ShiftingCatalogue> => {
  const fixtures = createEmbeddedCatalogue({ folder: fixtureFolder, clock: createManualClock(), rebaseToToday: false });
  const { artists, labels } = await fixtures.load();
  const bases = new Map<string, Artist>();
  const repeated = Array.from({ length: size }, (_, index): ListedArtist => {
    const base = artists[index % artists.length];
    if (base === undefined) throw new Error('The example catalogue is empty.');
    const id = index < artists.length ? base.artist.id : `${base.artist.id}x${index}`;
    bases.set(id, base.artist);
    const artist = { ...base.artist, id, documentId: `${base.artist.documentId}x${index}` };
    return { artist, recent: base.recent.map((series) => ({ ...series, artistId: id })) };
  });
  let contents: CatalogueContents = { artists: repeated, labels, faults: [] };
  let changes = 0;
  return {
    load: async () => contents,
    async read({ id }) {
      const base = bases.get(id);
      const { series } = base === undefined ? { series: [] } : await fixtures.read(base);
      return { series: series.map((one) => ({ ...one, artistId: id })) };
    },
    changeOnePercent() {
      changes += 1;
      const count = Math.max(1, Math.floor(size / 100));
      const first = (changes * count) % size;
      const next = contents.artists.map((listed, index) =>
        index >= first && index < first + count ? { ...listed, artist: changed(listed.artist, changes) } : listed,
      );
      contents = { ...contents, artists: next };
    },
  };
};
