import { expect } from 'chai';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import type { ListedArtist } from '../../src/ports.ts';
import { useStarted } from '../support/cleanup.ts';
import { readFixtures, type StoredDocument } from '../support/documents.ts';
import type { CatalogueUnderTest } from './catalogue.conformance.ts';

const id = 'art_4jt8re';
const later = '2026-08-22T11:00:00.000Z';

const collections = ['artists', 'history', 'labels'] as const;

/** Describes what every catalogue store does with documents that it cannot use as they are. */
export const describeCatalogueFaults = (
  name: string,
  open: () => Promise<CatalogueUnderTest>,
): void => {
  describe(`faulty documents of the catalogue store: ${name}`, () => {
    const fixtures = readFixtures();
    const own = fixtures.history.find(
      (series) => series['artist_id'] === id && series['song_id'] === undefined,
    );
    const store = useStarted(open, ({ close }) => close(), true);

    /** The fixtures with a changed artist. */
    const withArtist = (change: StoredDocument, at = later) => ({
      ...fixtures,
      artists: fixtures.artists.map((artist) =>
        artist['id'] === id ? { ...artist, updated_at: at, ...change } : artist,
      ),
    });

    /** The fixtures in which a series of the artist is changed, and the artist touched. */
    const withSeries = (change: StoredDocument) => ({
      ...withArtist({}),
      history: fixtures.history.map((series) =>
        series === own ? { ...series, ...change } : series,
      ),
    });

    const load = async (documents: Parameters<CatalogueUnderTest['write']>[0]) => {
      await store.write(documents);
      const { artists, labels, faults } = await store.source.load();
      return { artists, labels, faults, listed: artists.find(({ artist }) => artist.id === id) };
    };

    const told = (faults: readonly DocumentFault[]) =>
      faults.map(
        ({ event, collection, reason }) => `${event}: ${collection} ${reason.split(':')[0]}`,
      );

    const recentOf = (listed: ListedArtist | undefined) =>
      listed?.recent.find(({ metric }) => metric === own?.['metric'])?.days;

    it('leaves out an invalid member only, until it is mended', async () => {
      const metrics = { spotify_streams: 1e300, social_score: 7 };
      const bad = await load(withArtist({ metrics }));
      expect(bad.artists).to.have.length(fixtures.artists.length);
      expect(bad.listed?.artist.metrics).to.deep.equal({ social_score: 7 });
      expect(told(bad.faults)).to.deep.equal(['member left out: artists metrics.spotify_streams']);
      const touched = await load(
        withArtist({ metrics: { social_score: 7 } }, '2026-08-22T11:30:00.000Z'),
      );
      expect(touched.faults).to.deep.equal([]);
    });

    it('has other content when a member that was left out is mended', async () => {
      const bad = await load(withArtist({ country_code: 'Portugal' }));
      const mended = await load(withArtist({ country_code: 'PT' }));
      expect(mended.listed?.artist.countryCode).to.equal('PT');
      expect(mended.listed?.content).not.to.equal(bad.listed?.content);
      expect(told(mended.faults)).to.deep.equal([
        'content changed without a newer updated_at: artists updated_at',
      ]);
    });

    it('serves the last good version of an artist that can no longer be read, until it is mended or removed', async () => {
      const good = await load(fixtures);
      for (const name of [7, '', null]) {
        const { listed, faults } = await load(withArtist({ name }));
        expect(listed?.artist).to.deep.equal(good.listed?.artist);
        expect(listed?.recent).to.deep.equal(good.listed?.recent);
        expect(told(faults)).to.deep.equal([
          'document unreadable, serving its last good version: artists name',
        ]);
      }
      const mended = await load(withArtist({ name: 'Mended' }, '2026-08-22T11:30:00.000Z'));
      expect([mended.listed?.artist.name, mended.faults]).to.deep.equal(['Mended', []]);
      await load(withArtist({ name: 7 }, '2026-08-22T11:40:00.000Z'));
      const removed = await load({
        ...fixtures,
        artists: fixtures.artists.filter((artist) => artist['id'] !== id),
      });
      expect([removed.listed, removed.faults]).to.deep.equal([undefined, []]);
    });

    it('leaves out an artist that never could be read, until it is mended', async () => {
      const { artists, faults } = await load(withArtist({ name: 7 }));
      expect(artists).to.have.length(fixtures.artists.length - 1);
      expect(told(faults)).to.deep.equal(['document left out: artists name']);
      expect((await load(fixtures)).faults).to.deep.equal([]);
    });

    it('serves the last good version of a label that can no longer be read', async () => {
      const good = await load(fixtures);
      const [first, ...rest] = fixtures.labels;
      const { labels, faults } = await load({
        ...fixtures,
        labels: [{ ...first, aliases: 'WMG' }, ...rest],
      });
      expect(labels).to.deep.equal(good.labels);
      expect(told(faults)).to.deep.equal([
        'document unreadable, serving its last good version: labels aliases',
      ]);
    });

    for (const [when, isGoodBefore] of [
      ['can no longer', true],
      ['never could', false],
    ] as const)
      it(`leaves out a series that ${when} be read, reports it, and has other content until it is mended`, async () => {
        const good = isGoodBefore ? await load(fixtures) : undefined;
        if (good !== undefined) expect(recentOf(good.listed)).to.have.length.greaterThan(1);
        const { listed, faults } = await load(withSeries({ points: 'none' }));
        expect(recentOf(listed)).to.equal(undefined);
        expect(told(faults)).to.deep.equal(['document left out: history points']);
        const mended = await load(withSeries({}));
        expect(recentOf(mended.listed)).to.have.length.greaterThan(1);
        expect(mended.listed?.content).not.to.equal(listed?.content);
        expect(told(mended.faults)).to.deep.equal([
          'content changed without a newer updated_at: artists updated_at',
        ]);
      });

    it('has other content when a point that was left out is mended', async () => {
      const points = (value: unknown) => ({
        points: [
          { date: '2026-08-18', value: 1 },
          { date: '2026-08-19', value },
        ],
      });
      const { listed } = await load(withSeries(points('30000')));
      const mended = await load(withSeries(points(30_000)));
      expect(mended.listed?.recent).not.to.deep.equal(listed?.recent);
      expect(mended.listed?.content).not.to.equal(listed?.content);
      expect(told(mended.faults)).to.deep.equal([
        'content changed without a newer updated_at: artists updated_at',
      ]);
    });

    it('leaves out a point with a value or a flag that is not valid, and reports the series once', async () => {
      const points = [
        { date: '2026-08-18', value: 1 },
        { date: '2026-08-19', value: 1e300 },
        { date: '2026-08-20', value: '5' },
        { date: '2026-08-21', value: 2, estimated: 'yes' },
        { date: '2026-08-22', value: 3 },
      ];
      const { listed, faults } = await load(withSeries({ points }));
      expect(recentOf(listed)).to.deep.equal(['2026-08-18', '2026-08-22']);
      expect(told(faults)).to.deep.equal(['member left out: history points.1.value']);
      expect(faults[0]?.reason).to.match(/\(and 2 more\)$/);
    });

    it('says that a history is incomplete while a point or a series of it cannot be read, and of no other artist', async () => {
      const isComplete = async (documents: Parameters<CatalogueUnderTest['write']>[0]) => {
        const { listed, artists } = await load(documents);
        const other = artists.find(({ artist }) => artist.id !== id);
        if (listed === undefined || other === undefined) throw new Error('there are artists');
        expect((await store.histories.read(other.artist)).complete).to.equal(true);
        return (await store.histories.read(listed.artist)).complete;
      };
      for (const points of ['none', [{ date: '2026-08-18', value: 'x' }]])
        expect(await isComplete(withSeries({ points }))).to.equal(false);
      expect(await isComplete(withSeries({}))).to.equal(true);
      // what can be read stays the same
      const added = { ...own, _id: 'z', metric: 'x', points: 'none' };
      const history = [...fixtures.history, added];
      expect(await isComplete({ ...fixtures, history })).to.equal(false);
      expect(await isComplete(fixtures)).to.equal(true);
    });

    it('keeps the first of two labels, and of two series, with the same identifier', async () => {
      const [label] = fixtures.labels;
      const { labels, listed, faults } = await load({
        ...fixtures,
        labels: [
          ...fixtures.labels.map((one, index) => ({ ...one, _id: `a${index}` })),
          { ...label, _id: 'z', aliases: ['Another'] },
        ],
        history: [...fixtures.history, { ...own, _id: 'z', points: [] }],
      });
      expect(labels.filter(({ name }) => name === label?.['name'])).to.deep.equal([
        { name: label?.['name'], aliases: label?.['aliases'] },
      ]);
      expect(recentOf(listed)).to.have.length.greaterThan(1);
      expect(faults.map(({ collection }) => collection)).to.have.members(['history', 'labels']);
      for (const { event, reason } of faults)
        expect(`${event} ${reason}`).to.match(/^document left out .*same identifier/);
    });

    for (const collection of collections) {
      it(`keeps the last copy of ${collection} when the collection is found empty, until a document appears`, async () => {
        const good = await load(fixtures);
        const { listed, labels, artists, faults } = await load({
          ...withArtist({}),
          [collection]: [],
        });
        expect(artists).to.have.length(good.artists.length);
        expect(labels).to.deep.equal(good.labels);
        expect(listed?.recent).to.deep.equal(good.listed?.recent);
        expect(told(faults)).to.deep.equal([
          `collection empty, serving the last copy: ${collection} no document is stored where some were`,
        ]);
        const appeared = await load({
          ...withArtist({}),
          [collection]: fixtures[collection].slice(-1),
        });
        expect(appeared.faults.filter(({ document }) => document === 'all')).to.deep.equal([]);
        expect(appeared[collection === 'labels' ? 'labels' : 'artists']).to.have.length(
          collection === 'history' ? good.artists.length : 1,
        );
        if (collection === 'history') expect(recentOf(appeared.listed)).to.equal(undefined);
      });

      it(`believes that ${collection} is empty when it never had a document`, async () => {
        const { faults } = await load({ ...fixtures, [collection]: [] });
        expect(faults).to.deep.equal([]);
      });
    }

    it('takes two artists whose identifiers read the same one after the other for two', async () => {
      const named = (_id: string, id: string) => ({ ...fixtures.artists[0], _id, id });
      const { artists, faults } = await load({
        ...fixtures,
        artists: [named('a b', 'c'), named('a', 'b c')],
      });
      expect(artists.map(({ artist }) => artist.id)).to.have.members(['c', 'b c']);
      expect(faults).to.deep.equal([]);
    });

    it('reports content that changed with an older updated_at, until it is newer', async () => {
      await load(withArtist({}));
      const changed = await load(withArtist({ name: 'Earlier' }, '2026-08-01T00:00:00.000Z'));
      expect(changed.listed?.artist.name).to.equal('Earlier');
      expect(told(changed.faults)).to.deep.equal([
        'content changed without a newer updated_at: artists updated_at',
      ]);
      expect((await store.source.load()).faults).to.deep.equal(changed.faults);
      const touched = await load(withArtist({ name: 'Earlier' }, '2026-08-22T11:30:00.000Z'));
      expect(touched.faults).to.deep.equal([]);
    });
  });
};
