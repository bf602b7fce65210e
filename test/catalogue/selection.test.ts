import { expect } from 'chai';
import { select } from '../../src/catalogue/selection.ts';
import type { Filters } from '../../src/domain/filters.ts';
import { buildContents, buildSnapshot, buildViewer } from '../support/builders.ts';
import { catchProblemKind } from '../support/catch-error.ts';

const snapshot = buildSnapshot(
  buildContents([
    { id: 'a', name: 'Alpha', tier: 'watch', dateAdded: '2026-08-22', signing: { status: 'signed', note: undefined } },
    { id: 'b', name: 'Beta', tier: 'breaking', dateAdded: '2026-08-20' },
    {
      id: 'c',
      name: 'alphabet',
      tier: 'watch',
      dateAdded: '2026-08-15',
      signing: { status: 'unsigned', note: undefined },
    },
    { id: 'd', name: 'Delta (live)', dateAdded: '2026-08-14', signing: { status: 'unknown', note: undefined } },
    { id: 'e', name: 'Epsilon', tier: 'watch', signing: { status: 'signed', note: undefined } },
    { id: 'f', name: 'Future', dateAdded: '2026-08-23' },
    { id: 'g', name: 'Gam\nma' },
  ]),
);
const viewer = buildViewer();
const allIds = 'fabcdeg';

const selected = (filters: Filters, limit = 100): string =>
  select(snapshot, filters, viewer, limit)
    .artists.map(({ id }) => id)
    .join('');

const cases: readonly (readonly [string, Filters, string])[] = [
  ['all artists without a filter', {}, allIds],
  ['all artists when each filter is undefined', { id: undefined, name: undefined, nothing: undefined }, allIds],
  ['one artist by id', { id: 'c' }, 'c'],
  ['no artist by an unknown id', { id: 'x' }, ''],
  ['no artist by a document id in place of an id', { id: 'doc-c' }, ''],
  ['no artist by an empty id', { id: '' }, ''],
  ['one artist by document id', { documentId: 'doc-c' }, 'c'],
  ['artists by a part of the name in any case', { name: 'LPHA' }, 'ac'],
  ['artists by a name taken literally', { name: '(live' }, 'd'],
  ['no artist by a pattern', { name: 'A.*a' }, ''],
  ['no artist by a space where the name has a line break', { name: 'gam ma' }, ''],
  ['artists by tier', { tier: 'watch' }, 'ace'],
  ['no artist by a tier that does not exist', { tier: 'x' }, ''],
  ['no artist by a tier in another case', { tier: 'WATCH' }, ''],
  ['no artist by an empty tier', { tier: '' }, ''],
  ['no artist by a tier that is a member of every object', { tier: 'constructor' }, ''],
  ['artists added since a day, inclusive', { addedSince: '2026-08-20' }, 'fab'],
  ['no artist added since a future day', { addedSince: '2026-08-24' }, ''],
  ['artists added today, and none of a later day', { addedWithinDays: 0 }, 'a'],
  ['artists added within 7 days, inclusive', { addedWithinDays: 7 }, 'abc'],
  ['artists added within 8 days', { addedWithinDays: 8 }, 'abcd'],
  ['all artists with a day up to today for any number of days', { addedWithinDays: 999_999_999_999_999 }, 'abcd'],
  ['the later of two days, and none after today', { addedWithinDays: 7, addedSince: '2026-08-20' }, 'ab'],
  ['the later of two days, when the window begins later', { addedWithinDays: 2, addedSince: '2026-08-15' }, 'ab'],
  ['signed artists', { signed: true }, 'ae'],
  ['artists with any other status or none', { signed: false }, 'fbcdg'],
  ['no artist for an invalid filter', { nothing: true }, ''],
  ['no artist for an invalid filter beside a valid one', { nothing: true, id: 'a' }, ''],
  ['artists that pass all of several filters', { name: 'alpha', tier: 'watch', signed: true }, 'a'],
  ['artists with a name and a tier', { name: 'a', tier: 'watch' }, 'ac'],
  ['the last artist with a name and a tier', { name: 'psi', tier: 'watch' }, 'e'],
  ['no artist by a name that only other tiers have', { name: 'beta', tier: 'watch' }, ''],
  ['no artist by a name in a tier that does not exist', { name: 'a', tier: 'x' }, ''],
  ['artists with a name and a tier added since a day', { name: 'a', tier: 'watch', addedSince: '2026-08-20' }, 'a'],
  ['an artist by id that passes the other filters', { id: 'a', name: 'alpha', addedWithinDays: 1 }, 'a'],
  ['no artist by id that does not pass a filter by day', { id: 'c', addedWithinDays: 1 }, ''],
  ['no artist by id that does not pass another filter', { id: 'b', tier: 'watch' }, ''],
  ['no artist by document id that does not pass another filter', { documentId: 'doc-b', signed: true }, ''],
  ['no artist by two identifiers of different artists', { documentId: 'doc-b', id: 'a' }, ''],
  ['artists of a tier added since a day', { tier: 'watch', addedSince: '2026-08-15' }, 'ac'],
];

describe('selection', () => {
  for (const [name, filters, ids] of cases) {
    it(`holds ${name}`, () => {
      expect(selected(filters)).to.equal(ids);
    });
  }

  for (const filters of [
    { documentId: 'x' },
    { documentId: 'a' },
    { documentId: '' },
    { documentId: 'x', tier: 'x' },
  ]) {
    it(`raises not-found for ${JSON.stringify(filters)}`, () => {
      expect(catchProblemKind(() => selected(filters))).to.equal('not-found');
    });
  }

  for (const [limit, ids, more] of [
    [1, 'a', true],
    [2, 'ac', true],
    [3, 'ace', false],
    [4, 'ace', false],
  ] as const) {
    it(`of at most ${limit} artists reports ${more ? 'more' : 'no more'}`, () => {
      const found = select(snapshot, { tier: 'watch' }, viewer, limit);
      expect([found.artists.map(({ id }) => id).join(''), found.more]).to.deep.equal([ids, more]);
    });
  }

  for (const filters of [{}, { tier: 'watch' }, { name: 'a' }, { id: 'c' }, { documentId: 'doc-c' }]) {
    it(`begins after a position with the filters ${JSON.stringify(filters)}`, () => {
      const after = { dateAdded: '2026-08-15', id: 'c' };
      const { artists } = select(snapshot, filters, viewer, 100, after);
      const all = selected(filters);
      expect(artists.map(({ id }) => id).join('')).to.equal(all.slice(all.indexOf('c') + 1));
    });
  }
});
