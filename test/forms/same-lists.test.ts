import { expect } from 'chai';
import { z } from 'zod';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createManualClock } from '../support/clock.ts';
import { itemsIn } from '../support/forms/form-expectations.ts';
import { keySource } from '../support/forms/form-keys.ts';
import { getAs } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

/** Requests for the same artists in both forms. */
const artists = [
  { current: '/artists?limit=100', variant: '/artists' },
  { current: '/artists?limit=3', variant: '/artists?limit=3' },
  { current: '/artists?tier=breaking', variant: '/artists?tier=breaking' },
  { current: '/artists?tier=watch', variant: '/artists?tier=watch&fields=basic' },
  { current: '/added?days=30', variant: '/artists?new=30' },
  { current: '/added', variant: '/artists?new=7' },
  { current: '/artists?added_since=2026-08-15', variant: '/artists?new=7' },
  { current: '/artists?added_since=1970-01-01', variant: '/artists?new=99999999999999999999' },
  { current: '/artists?id=art_7rf1ly', variant: '/artists?id=66a18b869b2e81c0c529552a' },
] as const;

const counted = z.union([
  z.object({ meta: z.object({ count: z.int() }) }).transform(({ meta }) => meta.count),
  z.object({ count: z.int() }).transform(({ count }) => count),
]);

/** Some members of every item, in order. */
const columns = (text: string, ...members: readonly string[]): readonly unknown[][] =>
  itemsIn(text).map((item) => members.map((member) => item[member]));

describe('lists in both forms', () => {
  let gateway: TestGateway;
  let stableIds: ReadonlyMap<unknown, string>;
  before(async () => {
    const clock = createManualClock();
    const source = createEmbeddedCatalogue({ folder: fixtureFolder, clock, rebaseToToday: false });
    const { artists: listed } = await source.load();
    stableIds = new Map(listed.map(({ artist }) => [artist.documentId, artist.id]));
    gateway = await createTestGateway({ clock, source, keys: keySource });
  });
  after(() => gateway.close());

  const askBoth = async (question: { readonly current: string; readonly variant: string }) => {
    const current = await getAs('current', gateway, question.current);
    const variant = await getAs('variant', gateway, question.variant);
    for (const { text } of [current, variant]) {
      expect(counted.parse(JSON.parse(text)), 'count')
        .to.equal(itemsIn(text).length)
        .and.above(0);
    }
    return { current: current.text, variant: variant.text };
  };

  for (const question of artists) {
    it(`have the same artists in the same order: ${question.current} and ${question.variant}`, async () => {
      const { current, variant } = await askBoth(question);
      const translated = itemsIn(variant).map(({ id }) => stableIds.get(id));
      expect(translated).to.deep.equal(itemsIn(current).map(({ id }) => id));
    });

    it(`have the same values of artists: ${question.current} and ${question.variant}`, async () => {
      const { current, variant } = await askBoth(question);
      const members = ['name', 'date_added', 'tier', 'links', 'metrics'] as const;
      expect(columns(variant, ...members)).to.deep.equal(columns(current, ...members));
      expect(columns(variant, 'photo')).to.deep.equal(columns(current, 'photo_url'));
    });
  }

  for (const days of [1, 3, 7, 30]) {
    it(`have the same spikes in the same order over ${days} days`, async () => {
      const path = `/spikes?days=${days}`;
      const { current, variant } = await askBoth({ current: path, variant: path });
      const members = ['artist_name', 'metric', 'previous', 'current', 'delta', 'percent_change'] as const;
      expect(columns(variant, ...members)).to.deep.equal(columns(current, ...members));
    });
  }

  it('have the same signings in the same order', async () => {
    const { current, variant } = await askBoth({ current: '/signings', variant: '/signings' });
    const members = ['artist_name', 'total_label_songs'] as const;
    expect(columns(variant, ...members)).to.deep.equal(columns(current, ...members));
    const detected = /"label_detected":"[^"]*"/g;
    expect(variant.match(detected)).to.deep.equal(current.match(detected));
  });

  it('filtered by date leave out artists without date_added', async () => {
    const all = itemsIn((await getAs('variant', gateway, '/artists')).text);
    const dated = itemsIn((await getAs('variant', gateway, '/artists?new=99999')).text);
    expect(dated).to.deep.equal(all.filter(({ date_added }) => date_added !== undefined));
    expect(dated).to.have.length(10);
  });

  it('have the same instant', async () => {
    const instants = [];
    for (const form of ['current', 'variant'] as const) {
      const { text } = await getAs(form, gateway, '/signings');
      instants.push(/"(?:generated_at|timestamp)":"([^"]*)"/.exec(text)?.[1]);
    }
    expect(instants).to.deep.equal(['2026-08-22T12:00:00.000Z', '2026-08-22T12:00:00.000Z']);
  });
});
