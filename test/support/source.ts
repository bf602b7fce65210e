import { recentPointsOf } from '../../src/catalogue/movements.ts';
import type { Artist, Label, Series } from '../../src/domain/model.ts';
import type { CatalogueContents, CatalogueSource, HistorySource } from '../../src/ports.ts';

/** The shortlist of a test. */
export interface Shortlist {
  readonly artists: readonly Artist[];
  readonly series?: readonly Series[];
  readonly labels?: readonly Label[];
}

export interface TestSource extends CatalogueSource, HistorySource {
  /** Replaces the contents from the next load on. */
  change(shortlist: Shortlist): void;
}

const contentsOf = ({ artists, series = [], labels = [] }: Shortlist): CatalogueContents => ({
  artists: artists.map((artist) => ({
    artist,
    recent: series
      .filter(({ artistId, songId }) => artistId === artist.id && songId === undefined)
      .map((own) => recentPointsOf(own)),
  })),
  labels,
  faults: [],
});

/** A source, and its histories, over models instead of documents. */
export const createTestSource = (shortlist: Shortlist): TestSource => {
  let series = shortlist.series ?? [];
  let contents = contentsOf(shortlist);
  return {
    change(next) {
      series = next.series ?? [];
      contents = contentsOf(next);
    },
    load: async () => contents,
    read: async ({ id }) => ({
      series: series.filter(({ artistId }) => artistId === id),
      complete: true,
    }),
  };
};
