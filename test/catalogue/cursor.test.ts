import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../src/catalogue/cursor.ts';
import { filterNames } from '../../src/catalogue/selection.ts';
import type { FilterName, Filters, FilterValues } from '../../src/domain/filters.ts';
import type { Position } from '../../src/domain/order.ts';
import { catchProblemKind } from '../support/catch-error.ts';

const position: Position = { id: 'art_7', dateAdded: '2026-08-20' };
const filters: Filters = { name: 'a', tier: 'watch' };
const cursor = encodeCursor(position, filters);
const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');
const isRefused = (text: string, by: Filters = filters): boolean =>
  catchProblemKind(() => decodeCursor(text, by)) === 'invalid-cursor';

const anyPosition = fc.record({
  id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  dateAdded: fc.constantFrom('2026-08-20', '2026-08-22', undefined),
});
/** Values of every filter. One that is missing here does not compile. */
const filterValues: { readonly [Name in FilterName]: fc.Arbitrary<FilterValues[Name]> } = {
  id: fc.string(),
  documentId: fc.string(),
  name: fc.string({ unit: 'grapheme' }),
  tier: fc.constantFrom('watch', 'breaking', ''),
  addedSince: fc.constantFrom('2026-08-20', '2026-08-22'),
  addedWithinDays: fc.nat(90),
  signed: fc.boolean(),
  nothing: fc.boolean(),
};
/** Also lists like those in cursors. */
const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.tuple(fc.constantFrom('x', 7), fc.constantFrom('art_7', 7), fc.constantFrom(null, 7)),
);
const anyFilters: fc.Arbitrary<Filters> = fc.record(filterValues, { requiredKeys: [] });

describe('cursors', () => {
  it('encode any position with any filters, in letters that need no percent-encoding', () => {
    fc.assert(
      fc.property(anyPosition, anyFilters, (given, by) => {
        const text = encodeCursor(given, by);
        expect(text).to.match(/^[\w-]+$/);
        expect(decodeCursor(text, by)).to.deep.equal(given);
      }),
    );
  });

  for (const name of filterNames) {
    it(`with the filter ${name} are valid only for the same query`, () => {
      fc.assert(
        fc.property(
          anyFilters,
          filterValues[name],
          filterValues[name],
          (others, value, otherValue) => {
            const { [name]: _, ...rest } = others;
            const made = encodeCursor(position, { ...rest, [name]: value });
            expect(isRefused(made, { ...rest, [name]: value })).to.equal(false);
            expect(isRefused(made, rest)).to.equal(true);
            expect(isRefused(encodeCursor(position, rest), { ...rest, [name]: value })).to.equal(
              true,
            );
            expect(isRefused(made, { ...rest, [name]: otherValue })).to.equal(value !== otherValue);
            for (const other of filterNames.filter((one) => one !== name))
              expect(
                isRefused(encodeCursor(position, { [name]: value }), { [other]: value }),
                other,
              ).to.equal(true);
          },
        ),
      );
    });
  }

  it('of questions that were asked before a filter was added stay valid', () => {
    const made = 'WyJJSEpxRGZndWRyR3lkNWdoIiwiYXJ0XzciLCIyMDI2LTA4LTIwIl0';
    expect(encodeCursor(position, filters)).to.equal(made);
  });

  it('are refused when any one character is replaced, removed or repeated', () => {
    const damaged = [...cursor].flatMap((character, index) => {
      const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
      const others = [...characters].filter((other) => other !== character);
      return ['', character + character, ...others].map((other) => before + other + after);
    });
    expect(damaged.filter((text) => !isRefused(text))).to.deep.equal([]);
  });

  it('are refused unless encodeCursor made them', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), anyJson.map(base64url)),
        (text) => {
          expect(isRefused(text)).to.equal(true);
        },
      ),
    );
  });
});
