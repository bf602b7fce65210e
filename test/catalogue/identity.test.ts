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

/** A catalogue of its own each time, as another replica would build it: one rising, signed artist and another. */
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

const answers: Readonly<Record<string, (catalogue: Catalogue, asker: Viewer) => string>> = {
  artists: (catalogue, asker) => catalogue.artists({ filters: {}, limit: 1 }, asker).identity(),
  artist: (catalogue, asker) => catalogue.artist({ id: 'a' }, asker).identity(),
  added: (catalogue, asker) => catalogue.added({ days: 1, limit: 1 }, asker).identity(),
  spikes: (catalogue, asker) => catalogue.spikes({ days: 3 }, asker).identity(),
  signings: (catalogue, asker) => catalogue.signings(asker).identity(),
};
const asker = buildViewer();
const later = Date.parse('2026-08-22T00:00:01Z');

describe('identity', () => {
  for (const [name, identity] of Object.entries(answers)) {
    it(`of the answer "${name}" is the same on every replica and for every caller`, () => {
      expect(identity(replica(), asker)).to.equal(identity(replica(), buildViewer({ scopes: new Set() })));
    });

    it(`of the answer "${name}" does not depend on artists it does not hold`, () => {
      expect(identity(replica(), asker)).to.equal(identity(replica({ last: { updatedAt: later } }), asker));
    });
  }

  for (const [name, identity] of Object.entries(answers).filter(([answer]) => answer !== 'added')) {
    it(`of the answer "${name}" changes with an artist in it`, () => {
      expect(identity(replica(), asker)).to.not.equal(identity(replica({ first: { updatedAt: later } }), asker));
    });
  }

  it('of added artists changes when one is added', () => {
    const added = (first: Partial<Artist>) => replica({ first }).added({ days: 1, limit: 1 }, asker).identity();
    expect(added({})).to.not.equal(added({ dateAdded: asker.today }));
  });

  it('of added artists does not tell whether there are more, since no page follows', () => {
    const both = replica({ first: { dateAdded: asker.today }, last: { dateAdded: asker.today } });
    const one = replica({ first: { dateAdded: asker.today } });
    const identities = [both, one].map((catalogue) => catalogue.added({ days: 1, limit: 1 }, asker));
    expect(identities.map(({ artists }) => artists.map(({ id }) => id))).to.deep.equal([['a'], ['a']]);
    expect(identities[0]?.identity()).to.equal(identities[1]?.identity());
  });

  it('of artists tells whether there are more', () => {
    const catalogue = replica();
    const whole = catalogue.artists({ filters: { id: 'a' }, limit: 1 }, asker).identity();
    expect(catalogue.artists({ filters: {}, limit: 1 }, asker).identity()).to.not.equal(whole);
  });

  it('of signings changes with the tracked labels', () => {
    const others = [[], [buildLabel('EMI')], [buildLabel('Warner', 'WMG')]].map((labels) => replica({ labels }));
    const identities = [replica(), ...others].map((catalogue) => catalogue.signings(asker).identity());
    expect(new Set(identities)).to.have.lengthOf(4);
  });

  it('of spikes changes with the day, the window and the settings', () => {
    const spikes = (days: number, today: string, floor: number, thresholdPercent: number) =>
      replica({ parts: { spikes: createSpikeFinder({ floor, thresholdPercent }) } }).spikes(
        { days },
        buildViewer({ today }),
      );
    const all = [
      spikes(3, '2026-08-22', 1000, 20),
      spikes(4, '2026-08-22', 1000, 20),
      spikes(3, '2026-08-23', 1000, 20),
      spikes(3, '2026-08-22', 999, 20),
      spikes(3, '2026-08-22', 1000, 21),
    ];
    expect(new Set(all.map(({ identity }) => identity()))).to.have.lengthOf(all.length);
  });
});
