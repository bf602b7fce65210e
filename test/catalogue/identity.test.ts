import { expect } from 'chai';
import type { Catalogue, CatalogueParts } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/questions.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import type { Artist, Label } from '../../src/domain/model.ts';
import {
  buildCatalogue,
  buildContents,
  buildLabel,
  buildListedArtist,
  buildPoint,
  buildSeries,
  buildViewer,
} from '../support/builders.ts';

interface Given {
  readonly first?: Partial<Artist>;
  readonly last?: Partial<Artist>;
  readonly labels?: readonly Label[];
  readonly parts?: Partial<CatalogueParts>;
}

/** Builds a new catalogue, as another replica would: one rising, signed artist and another. */
const replica = ({ first = {}, last = {}, labels = [buildLabel('Warner')], parts = {} }: Given = {}): Catalogue => {
  const points = [buildPoint('2026-08-19', 1000), buildPoint('2026-08-22', 2000)];
  const rising = buildListedArtist({ id: 'a', signing: { status: 'signed', note: undefined }, ...first }, [
    buildSeries({ points }),
  ]);
  return buildCatalogue(
    buildContents([], { artists: [rising, buildListedArtist({ id: 'z', ...last })], labels }),
    parts,
  );
};

const answers: Readonly<Record<string, (catalogue: Catalogue, viewer: Viewer) => string | Promise<string>>> = {
  artists: (catalogue, viewer) => catalogue.artists({ filters: {}, limit: 1 }, viewer).identity(),
  artist: (catalogue, viewer) => catalogue.artist({ id: 'a' }, viewer).identity(),
  added: (catalogue, viewer) => catalogue.added({ days: 1, limit: 1 }, viewer).identity(),
  spikes: async (catalogue, viewer) => (await catalogue.spikes({ days: 3 }, viewer)).identity(),
  signings: (catalogue, viewer) => catalogue.signings(viewer).identity(),
};
const viewer = buildViewer();
const later = Date.parse('2026-08-22T00:00:01Z');

describe('answer identity', () => {
  for (const [name, identity] of Object.entries(answers)) {
    it(`of ${name} is equal on every replica and for every viewer`, async () => {
      const other = await identity(replica(), buildViewer({ scopes: new Set() }));
      expect(await identity(replica(), viewer)).to.equal(other);
    });

    it(`of ${name} does not depend on artists outside the answer`, async () => {
      const other = await identity(replica({ last: { updatedAt: later } }), viewer);
      expect(await identity(replica(), viewer)).to.equal(other);
    });
  }

  for (const [name, identity] of Object.entries(answers).filter(([answer]) => answer !== 'added')) {
    it(`of ${name} changes with an artist of the answer`, async () => {
      const other = await identity(replica({ first: { updatedAt: later } }), viewer);
      expect(await identity(replica(), viewer)).to.not.equal(other);
    });
  }

  it('of added changes when an artist is added', () => {
    const added = (first: Partial<Artist>) => replica({ first }).added({ days: 1, limit: 1 }, viewer).identity();
    expect(added({})).to.not.equal(added({ dateAdded: viewer.today }));
  });

  it('of added does not depend on further artists, since no page follows', () => {
    const both = replica({ first: { dateAdded: viewer.today }, last: { dateAdded: viewer.today } });
    const one = replica({ first: { dateAdded: viewer.today } });
    const identities = [both, one].map((catalogue) => catalogue.added({ days: 1, limit: 1 }, viewer));
    expect(identities.map(({ artists }) => artists.map(({ id }) => id))).to.deep.equal([['a'], ['a']]);
    expect(identities[0]?.identity()).to.equal(identities[1]?.identity());
  });

  it('of artists depends on whether there are more', () => {
    const catalogue = replica();
    const whole = catalogue.artists({ filters: { id: 'a' }, limit: 1 }, viewer).identity();
    expect(catalogue.artists({ filters: {}, limit: 1 }, viewer).identity()).to.not.equal(whole);
  });

  it('of signings changes with the tracked labels', () => {
    const others = [[], [buildLabel('EMI')], [buildLabel('Warner', 'WMG')]].map((labels) => replica({ labels }));
    const identities = [replica(), ...others].map((catalogue) => catalogue.signings(viewer).identity());
    expect(new Set(identities)).to.have.lengthOf(4);
  });

  it('of spikes changes with the day, the window and the settings', async () => {
    const spikes = (days: number, today: string, floor: number, thresholdPercent: number) =>
      replica({ parts: { spikes: createSpikeFinder({ floor, thresholdPercent }) } }).spikes(
        { days },
        buildViewer({ today }),
      );
    const all = await Promise.all([
      spikes(3, '2026-08-22', 1000, 20),
      spikes(4, '2026-08-22', 1000, 20),
      spikes(3, '2026-08-23', 1000, 20),
      spikes(3, '2026-08-22', 999, 20),
      spikes(3, '2026-08-22', 1000, 21),
    ]);
    expect(new Set(all.map(({ identity }) => identity()))).to.have.lengthOf(all.length);
  });
});
