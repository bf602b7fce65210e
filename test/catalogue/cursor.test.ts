import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../src/catalogue/cursor.ts';
import type { Filters } from '../../src/catalogue/questions.ts';
import type { Position } from '../../src/domain/order.ts';
import { catchProblemKind } from '../support/catch-error.ts';

const position: Position = { id: 'art_7', dateAdded: '2026-08-20' };
const filters: Filters = { name: 'a', tier: 'watch' };
const cursor = encodeCursor(position, filters);
const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const isRefused = (text: string, by: Filters = filters): boolean =>
  catchProblemKind(() => decodeCursor(text, by)) === 'invalid-cursor';

const anyPosition = fc.record({
  id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  dateAdded: fc.constantFrom('2026-08-20', '2026-08-22', undefined),
});
const anyFilters: fc.Arbitrary<Filters> = fc.record(
  {
    id: fc.string(),
    documentId: fc.string(),
    name: fc.string({ unit: 'grapheme' }),
    tier: fc.constantFrom('watch', 'breaking', ''),
    addedSince: fc.constantFrom('2026-08-20', '2026-08-22'),
    addedWithinDays: fc.nat(90),
    signed: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe('cursor', () => {
  it('holds any position, whatever the filters', () => {
    fc.assert(
      fc.property(anyPosition, anyFilters, (place, by) => {
        expect(decodeCursor(encodeCursor(place, by), by)).to.deep.equal(place);
      }),
    );
  });

  it('needs no escape in a query', () => {
    fc.assert(
      fc.property(anyPosition, anyFilters, (place, by) => {
        expect(encodeCursor(place, by)).to.match(/^[\w-]+$/);
      }),
    );
  });

  it('is refused with other filters', () => {
    fc.assert(
      fc.property(anyPosition, anyFilters, anyFilters, (place, by, other) => {
        fc.pre(JSON.stringify(Object.entries(by).sort()) !== JSON.stringify(Object.entries(other).sort()));
        expect(isRefused(encodeCursor(place, by), other)).to.equal(true);
      }),
    );
  });

  for (const [what, other] of [
    ['one filter more', { ...filters, signed: false }],
    ['one filter less', { name: 'a' }],
    ['a value that moved to another filter', { name: 'watch', tier: 'a' }],
    ['another value', { ...filters, name: 'A' }],
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(isRefused(cursor, other)).to.equal(true);
    });
  }

  it('is refused when any one character of it is another', () => {
    const accepted = [...cursor].flatMap((character, place) =>
      [...characters]
        .filter((other) => other !== character)
        .map((other) => cursor.slice(0, place) + other + cursor.slice(place + 1))
        .filter((damaged) => !isRefused(damaged)),
    );
    expect(accepted).to.deep.equal([]);
  });

  it('is refused when any one character of it is missing or there twice', () => {
    const damaged = [...cursor].flatMap((character, place) => [
      cursor.slice(0, place) + cursor.slice(place + 1),
      cursor.slice(0, place) + character + cursor.slice(place),
    ]);
    expect(damaged.filter((text) => !isRefused(text))).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['an empty text', ''],
    ['a blank', ' '],
    ['words', 'next page'],
    ['a zero byte', '\0'],
    ['a number', '50'],
    ['base64url of no JSON', Buffer.from('[').toString('base64url')],
    ['a JSON null', base64url(null)],
    ['a JSON object', base64url({ id: 'art_7', dateAdded: '2026-08-20' })],
    ['a JSON object with __proto__', Buffer.from('{"__proto__":["x","art_7",null]}').toString('base64url')],
    ['a list with __proto__', Buffer.from('["x",{"__proto__":{"id":"art_7"}},null]').toString('base64url')],
    ['an empty list', base64url([])],
    ['a list without a seal', base64url(['art_7', '2026-08-20'])],
    ['a list with a wrong seal', base64url(['x', 'art_7', '2026-08-20'])],
    ['a list with an id that is no text', base64url(['x', 7, null])],
    ['a list with a day that is no text', base64url(['x', 'art_7', 7])],
    ['a very long text', 'A'.repeat(1_000_000)],
    ['a very long list', base64url(['x', 'a'.repeat(1_000_000), null])],
    ['a deep list', Buffer.from('['.repeat(1000)).toString('base64url')],
  ] as const) {
    it(`cannot be ${what}`, () => {
      expect(isRefused(text)).to.equal(true);
    });
  }

  it('cannot be any text that was not made here', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json().map(base64url)), (text) => {
        expect(isRefused(text)).to.equal(true);
      }),
    );
  });
});
