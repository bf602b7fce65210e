import { expect } from 'chai';
import fc from 'fast-check';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { FilterName, Filters, FilterValues } from '../../src/domain/filters.ts';
import { type Artist, signingStatuses, tiers } from '../../src/domain/model.ts';
import { buildArtist, buildCatalogue, buildContents, buildViewer } from '../support/builders.ts';

const today = '2026-08-22';
const days = [
  '2026-08-14',
  '2026-08-15',
  '2026-08-19',
  '2026-08-20',
  '2026-08-21',
  '2026-08-22',
  '2026-08-23',
] as const;
const unknown = fc.constant(undefined);
const name = fc
  .array(fc.constantFrom('a', 'A', 'b', 'B', ' ', '.'), { maxLength: 4 })
  .map((letters) => letters.join(''));

const anyArtist: fc.Arbitrary<Partial<Artist>> = fc.record({
  name,
  tier: fc.oneof(unknown, fc.constantFrom(...tiers)),
  dateAdded: fc.oneof(unknown, fc.constantFrom(...days)),
  signing: fc.record({ status: fc.oneof(unknown, fc.constantFrom(...signingStatuses)), note: unknown }),
});

/** Up to 30 artists, in an order other than that of the list. */
const shortlist = fc
  .array(anyArtist, { maxLength: 30 })
  .map((list) => list.map((artist, index) => buildArtist({ ...artist, id: `${(index * 7) % 31}` })));

/** Values of every filter but `documentId`, which raises `not-found`. */
const filterValues: { readonly [Name in Exclude<FilterName, 'documentId'>]: fc.Arbitrary<FilterValues[Name]> } = {
  id: fc.nat(31).map(String),
  name,
  tier: fc.constantFrom(...tiers, 'x'),
  addedSince: fc.constantFrom(...days),
  addedWithinDays: fc.nat(9),
  signed: fc.boolean(),
  nothing: fc.constantFrom(true, false, false, false),
};
const anyFilters: fc.Arbitrary<Filters> = fc.record(filterValues, { requiredKeys: [] });

/** More pages than any of these lists has, so that a cursor that leads back fails instead of looping. */
const maxPages = 1000;

const catalogueOf = (artists: readonly Artist[]): Catalogue => buildCatalogue(buildContents(artists));

/** A naive implementation of the specified filters and order. */
const naive = (artists: readonly Artist[], filters: Filters): string[] => {
  const daysAgo = (day: string): number => (Date.parse(today) - Date.parse(day)) / 86_400_000;
  const passesFilters = ({ id, name: named, tier, dateAdded, signing }: Artist): boolean => {
    if (filters.nothing) return false;
    if (filters.id !== undefined && id !== filters.id) return false;
    if (filters.name !== undefined && !named.toLowerCase().includes(filters.name.toLowerCase())) return false;
    if (filters.tier !== undefined && tier !== filters.tier) return false;
    if (filters.signed === true && signing.status !== 'signed') return false;
    if (filters.signed === false && signing.status === 'signed') return false;
    if (filters.addedSince !== undefined && (dateAdded ?? '') < filters.addedSince) return false;
    if (filters.addedWithinDays === undefined) return true;
    return dateAdded !== undefined && dateAdded <= today && daysAgo(dateAdded) <= filters.addedWithinDays;
  };
  const byDay = new Map<string, string[]>([...days, ''].map((day) => [day, []]));
  for (const artist of artists.filter(passesFilters)) byDay.get(artist.dateAdded ?? '')?.push(artist.id);
  return ['', ...days].reverse().flatMap((day) => (byDay.get(day) ?? []).sort());
};

describe('catalogue paging', () => {
  it('returns exactly the artists that pass the filters, in order, with any page sizes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(shortlist, anyFilters, sizes, (artists, filters, limits) => {
        const catalogue = catalogueOf(artists);
        const found: string[] = [];
        let cursor: string | undefined;
        for (let page = 0; page === 0 || cursor !== undefined; page++) {
          expect(page).to.be.lessThan(maxPages);
          const limit = limits[page % limits.length] ?? 1;
          const answer = catalogue.artists({ filters, limit, cursor }, buildViewer({ today }));
          cursor = answer.nextCursor;
          if (cursor !== undefined) expect(answer.artists).to.have.lengthOf(limit);
          if (page > 0) expect(answer.artists).to.not.have.lengthOf(0);
          found.push(...answer.artists.map(({ id }) => id));
        }
        expect(found).to.deep.equal(naive(artists, filters));
      }),
      { numRuns: 500 },
    );
  });

  it('never repeats an artist and never skips one that stayed, while others are added and removed', () => {
    const step = fc.record({ limit: fc.integer({ min: 1, max: 6 }), changes: fc.array(fc.nat(30), { maxLength: 8 }) });
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(shortlist, fc.array(fc.nat(30)), steps, (artists, absent, turns) => {
        const present = new Set(artists.filter((_, index) => !absent.includes(index)));
        const stayed = new Set(present);
        const found: string[] = [];
        let cursor: string | undefined;
        for (let page = 0; page === 0 || cursor !== undefined; page++) {
          expect(page).to.be.lessThan(maxPages);
          const { limit, changes } = turns[page % turns.length] ?? { limit: 1, changes: [] };
          const answer = catalogueOf([...present]).artists({ filters: {}, limit, cursor }, buildViewer({ today }));
          found.push(...answer.artists.map(({ id }) => id));
          cursor = answer.nextCursor;
          for (const artist of cursor === undefined ? [] : changes.flatMap((index) => artists[index] ?? [])) {
            stayed.delete(artist);
            if (!present.delete(artist)) present.add(artist);
          }
        }
        expect(new Set(found)).to.have.lengthOf(found.length);
        expect(found).to.include.members([...stayed].map(({ id }) => id));
      }),
      { numRuns: 500 },
    );
  });

  it('finds no artist by the identifiers of two artists', () => {
    const catalogue = catalogueOf(['a', 'b'].map((id) => buildArtist({ id })));
    const find = (id: string) => catalogue.artists({ filters: { id, documentId: 'doc-b' }, limit: 9 }, buildViewer());
    expect(['a', 'b'].map((id) => find(id).artists.length)).to.deep.equal([0, 1]);
  });
});
