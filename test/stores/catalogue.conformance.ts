import { expect } from 'chai';
import { artistMetrics } from '../../src/domain/model.ts';
import type {
  CatalogueContents,
  CatalogueSource,
  HistorySource,
  ListedArtist,
} from '../../src/ports.ts';
import { useStarted } from '../support/cleanup.ts';
import { readFixtures, type StoredDocuments } from '../support/documents.ts';

/** A store under test, and how to change its documents. */
export interface CatalogueUnderTest {
  readonly source: CatalogueSource;
  readonly histories: HistorySource;
  /** Replaces the stored documents. */
  write(documents: Pick<StoredDocuments, 'artists' | 'history' | 'labels'>): Promise<void>;
  close(): Promise<void>;
}

const find = (contents: CatalogueContents, id: string): ListedArtist | undefined =>
  contents.artists.find(({ artist }) => artist.id === id);

/** Describes what every catalogue store must do. */
export const describeCatalogueStore = (
  name: string,
  open: () => Promise<CatalogueUnderTest>,
): void => {
  describe(`catalogue store: ${name}`, () => {
    const fixtures = readFixtures();
    const store = useStarted(open, ({ close }) => close(), true);
    beforeEach(() => store.write(fixtures));

    it('loads every artist and label', async () => {
      const { artists, labels, faults } = await store.source.load();
      expect(artists.map(({ artist }) => artist.id)).to.have.members(
        fixtures.artists.map(({ id }) => id),
      );
      expect(labels.map((label) => label.name)).to.have.members(
        fixtures.labels.map((label) => label['name']),
      );
      expect(faults).to.deep.equal([]);
    });

    it('returns the same contents while nothing changes', async () => {
      expect(await store.source.load()).to.equal(await store.source.load());
    });

    it('loads the points of the 35 days up to the newest of each series of artists, and none of songs', async () => {
      const { artists } = await store.source.load();
      const recent = artists.flatMap((listed) => listed.recent);
      expect(recent.length).to.be.greaterThan(5);
      expect(artistMetrics).to.include.members(recent.map(({ metric }) => metric));
      const days = recent.flatMap((series) => series.days);
      expect(days.sort()[0]).to.equal('2026-07-18');
      expect(
        fixtures.history.some((series) => JSON.stringify(series).includes('2026-07-10')),
      ).to.equal(true);
    });

    it('loads the points of a series that ended a year ago, whatever the day is', async () => {
      const days = ['2025-06-14', '2025-06-15', '2025-07-20', '2025-08-05'];
      const history = [
        {
          _id: 'ended',
          artist_id: 'art_4jt8re',
          metric: 'social_score',
          points: days.map((date, index) => ({
            date,
            value: index + 1,
            ...(index === 3 && { estimated: true }),
          })),
        },
      ];
      await store.write({ ...fixtures, history });
      const ended = find(await store.source.load(), 'art_4jt8re')?.recent;
      expect(ended).to.deep.equal([
        { metric: 'social_score', days: days.slice(1, 3), values: [2, 3] },
      ]);
    });

    it('loads a changed artist, and keeps the objects of the others', async () => {
      const before = await store.source.load();
      const change = { name: 'Renamed', updated_at: '2026-08-22T11:00:00.000Z' };
      const artists = fixtures.artists.map((one) =>
        one['id'] === 'art_4jt8re' ? { ...one, ...change } : one,
      );
      await store.write({ ...fixtures, artists });
      const after = await store.source.load();
      expect(find(after, 'art_4jt8re')?.artist.name).to.equal('Renamed');
      expect(after.labels).to.equal(before.labels);
      const kept = after.artists.filter((listed) => before.artists.includes(listed));
      expect(kept).to.have.length(before.artists.length - 1);
    });

    it('loads added artists and drops deleted ones', async () => {
      await store.source.load();
      const [first, ...rest] = fixtures.artists;
      const added = { ...first, _id: 'doc-added', id: 'art_added' };
      await store.write({ ...fixtures, artists: [...rest, added] });
      const { artists } = await store.source.load();
      const ids = artists.map(({ artist }) => artist.id);
      expect(ids).to.include('art_added');
      expect(ids).not.to.include(first?.['id']);
    });

    it('loads changed labels', async () => {
      await store.source.load();
      await store.write({ ...fixtures, labels: [{ name: 'Only Label', aliases: [] }] });
      const { labels } = await store.source.load();
      expect(labels).to.deep.equal([{ name: 'Only Label', aliases: [] }]);
    });

    it('reads all series of an artist and its songs', async () => {
      const { artists } = await store.source.load();
      for (const { artist } of artists) {
        const stored = fixtures.history.filter((series) => series['artist_id'] === artist.id);
        const { series } = await store.histories.read(artist);
        expect(series.map(({ songId, metric }) => `${songId ?? ''} ${metric}`)).to.deep.equal(
          stored.map((one) => `${one['song_id'] ?? ''} ${one['metric']}`).sort(),
        );
        expect(series.every(({ points }) => points.length > 0)).to.equal(true);
      }
    });

    it('believes that a collection is empty when it never had a document', async () => {
      await store.write({ ...fixtures, history: [], labels: [] });
      expect((await store.source.load()).faults).to.deep.equal([]);
    });

    it('keeps the first of two labels, and of two series, with the same identifier', async () => {
      const [label, series] = [fixtures.labels[0], fixtures.history[0]];
      await store.write({
        ...fixtures,
        labels: [
          ...fixtures.labels.map((one, index) => ({ ...one, _id: `a${index}` })),
          { ...label, _id: 'z', aliases: ['Another'] },
        ],
        history: [...fixtures.history, { ...series, _id: 'z', points: [] }],
      });
      const { labels, faults } = await store.source.load();
      expect(labels.find(({ name }) => name === label?.['name'])?.aliases).to.deep.equal(
        label?.['aliases'],
      );
      expect(faults.map(({ collection }) => collection)).to.have.members(['history', 'labels']);
    });

    for (const [what, artist, series] of [
      ['a member', { country_code: 'Portugal' }, {}],
      ['a series', {}, { points: 'none' }],
    ] as const)
      it(`has other content when ${what} that was left out is mended with the same \`updated_at\``, async () => {
        const broken = {
          artists: fixtures.artists.map((one) => ({ ...one, ...artist })),
          history: fixtures.history.map((one) => ({ ...one, ...series })),
        };
        await store.write({ ...fixtures, ...broken });
        const before = (await store.source.load()).artists.map(({ content }) => content);
        await store.write(fixtures);
        const { artists, faults } = await store.source.load();
        const mended = artists.filter(({ content }, index) => content !== before[index]);
        expect(mended).not.to.deep.equal([]);
        expect(faults.map(({ event }) => event)).to.deep.equal(
          mended.map(() => 'content changed without a newer updated_at'),
        );
      });
  });
};
