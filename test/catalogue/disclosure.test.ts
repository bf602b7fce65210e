import { expect } from 'chai';
import { createDisclosure, visibility } from '../../src/catalogue/disclosure.ts';
import type { Scope } from '../../src/domain/caller.ts';
import type { Signing } from '../../src/domain/model.ts';
import { buildArtist } from '../support/builders.ts';

const editorial = { scoutingReport: 'A secret report.', highlights: undefined, updatedAt: undefined };
const artist = buildArtist({ signing: { status: 'signed', note: 'A secret note.' }, editorial });
const signing: Signing = {
  artistId: 'art_1',
  artistName: 'Nobody',
  status: 'signed',
  note: 'A secret note.',
  labelSongs: [],
  basis: ['reviewed_status'],
};

const all = ['editorial:read', 'signing-notes:read'] as const;
const combinations: readonly (readonly Scope[])[] = [[], ['editorial:read'], ['signing-notes:read'], all];
const withScopes = (scopes: readonly Scope[]): ReadonlySet<Scope> => new Set<Scope>(['artists:read', ...scopes]);

describe('disclosure', () => {
  for (const scopes of combinations) {
    const seen = createDisclosure().artist(artist, withScopes(scopes));
    const list = `[${scopes.join(', ')}]`;

    it(`changes nothing else of an artist with the scopes ${list}`, () => {
      const { status } = seen.signing;
      expect({ ...seen, editorial, signing: { status, note: 'A secret note.' } }).to.deep.equal(artist);
    });

    it(`shows the note of a signing if the scopes ${list} allow it`, () => {
      const note = scopes.includes('signing-notes:read') ? 'A secret note.' : undefined;
      expect(createDisclosure().signing(signing, withScopes(scopes))).to.deep.equal({ ...signing, note });
    });

    it(`returns the same object to every caller with the scopes ${list}`, () => {
      const disclosure = createDisclosure();
      const again = new Set<Scope>([...scopes, 'spikes:read']);
      expect(disclosure.artist(artist, withScopes(scopes))).to.equal(disclosure.artist(artist, again));
      expect(disclosure.signing(signing, withScopes(scopes))).to.equal(disclosure.signing(signing, again));
    });
  }

  it('never shows one caller the members cached for another', () => {
    const disclosure = createDisclosure();
    const orders = [combinations, combinations.toReversed(), combinations];
    for (const scopes of orders.flat()) {
      const seen = disclosure.artist(artist, withScopes(scopes));
      expect([seen.editorial !== undefined, seen.signing.note !== undefined]).to.deep.equal([
        scopes.includes('editorial:read'),
        scopes.includes('signing-notes:read'),
      ]);
    }
  });

  it('returns an artist and a signing without a note and editorial unchanged', () => {
    const plain = buildArtist();
    const bare = { ...signing, note: undefined };
    expect(createDisclosure().artist(plain, withScopes([]))).to.equal(plain);
    expect(createDisclosure().signing(bare, withScopes([]))).to.equal(bare);
  });

  it('gives callers the same visibility exactly when the same members are visible to them', () => {
    const seen = combinations.map((scopes) => visibility(withScopes(scopes)));
    expect(new Set(seen)).to.have.lengthOf(4);
    expect(visibility(withScopes(all))).to.equal(visibility(new Set([...all].reverse())));
  });
});
