import { expect } from 'chai';
import type { Filters } from '../../src/catalogue/questions.ts';
import { select } from '../../src/catalogue/selection.ts';
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
const asker = buildViewer();
const everybody = 'fabcdeg';

const selected = (filters: Filters, limit = 100): string =>
  select(snapshot, filters, asker, limit)
    .artists.map(({ id }) => id)
    .join('');

const cases: readonly (readonly [string, Filters, string])[] = [
  ['everybody without a filter', {}, everybody],
  ['everybody when each filter is undefined', { id: undefined, name: undefined, nothing: undefined }, everybody],
  ['one artist by id', { id: 'c' }, 'c'],
  ['nobody by an unknown id', { id: 'x' }, ''],
  ['nobody by a document id in place of an id', { id: 'doc-c' }, ''],
  ['nobody by an empty id', { id: '' }, ''],
  ['one artist by document id', { documentId: 'doc-c' }, 'c'],
  ['artists by a part of the name in any case', { name: 'LPHA' }, 'ac'],
  ['artists by a name taken literally', { name: '(live' }, 'd'],
  ['nobody by a pattern', { name: 'A.*a' }, ''],
  ['nobody by a blank where the name has a line break', { name: 'gam ma' }, ''],
  ['artists by tier', { tier: 'watch' }, 'ace'],
  ['nobody by a tier that does not exist', { tier: 'x' }, ''],
  ['nobody by a tier in another case', { tier: 'WATCH' }, ''],
  ['nobody by an empty tier', { tier: '' }, ''],
  ['nobody by a tier that is a member of every object', { tier: 'constructor' }, ''],
  ['artists added since a day, this day included', { addedSince: '2026-08-20' }, 'fab'],
  ['nobody added since a day to come', { addedSince: '2026-08-24' }, ''],
  ['artists added today or later', { addedWithinDays: 0 }, 'fa'],
  ['artists added within 7 days, the first included', { addedWithinDays: 7 }, 'fabc'],
  ['artists added within 8 days', { addedWithinDays: 8 }, 'fabcd'],
  ['everybody with a day for any number of days', { addedWithinDays: 999_999_999_999_999 }, 'fabcd'],
  ['the later of two days', { addedWithinDays: 7, addedSince: '2026-08-20' }, 'fab'],
  ['signed artists', { signed: true }, 'ae'],
  ['artists with any other status or none', { signed: false }, 'fbcdg'],
  ['nobody when a filter could not be understood', { nothing: true }, ''],
  ['nobody when a filter could not be understood, whatever the others say', { nothing: true, id: 'a' }, ''],
  ['who passes all of several filters', { name: 'alpha', tier: 'watch', signed: true }, 'a'],
  ['who has a name and a tier, wherever others have only one of them', { name: 'a', tier: 'watch' }, 'ac'],
  ['the last who has a name and a tier', { name: 'psi', tier: 'watch' }, 'e'],
  ['nobody by a name that only other tiers have', { name: 'beta', tier: 'watch' }, ''],
  ['nobody by a name in a tier that does not exist', { name: 'a', tier: 'x' }, ''],
  ['who has a name and a tier and was added since a day', { name: 'a', tier: 'watch', addedSince: '2026-08-20' }, 'a'],
  ['an artist by id that passes the other filters', { id: 'a', name: 'alpha', addedWithinDays: 1 }, 'a'],
  ['nobody by id who does not pass a filter by day', { id: 'c', addedWithinDays: 1 }, ''],
  ['nobody by id who does not pass another filter', { id: 'b', tier: 'watch' }, ''],
  ['nobody by document id who does not pass another filter', { documentId: 'doc-b', signed: true }, ''],
  ['nobody by two identifiers of different artists', { documentId: 'doc-b', id: 'a' }, ''],
  ['who has a tier and was added since a day', { tier: 'watch', addedSince: '2026-08-15' }, 'ac'],
];

describe('selection', () => {
  for (const [what, filters, ids] of cases) {
    it(`holds ${what}`, () => {
      expect(selected(filters)).to.equal(ids);
    });
  }

  for (const filters of [
    { documentId: 'x' },
    { documentId: 'a' },
    { documentId: '' },
    { documentId: 'x', tier: 'x' },
  ]) {
    it(`is not found for the unknown document of ${JSON.stringify(filters)}`, () => {
      expect(catchProblemKind(() => selected(filters))).to.equal('not-found');
    });
  }

  for (const [limit, ids, more] of [
    [1, 'a', true],
    [2, 'ac', true],
    [3, 'ace', false],
    [4, 'ace', false],
  ] as const) {
    it(`of at most ${limit} knows whether there ${more ? 'are' : 'are no'} more`, () => {
      const found = select(snapshot, { tier: 'watch' }, asker, limit);
      expect([found.artists.map(({ id }) => id).join(''), found.more]).to.deep.equal([ids, more]);
    });
  }

  for (const filters of [{}, { tier: 'watch' }, { name: 'a' }, { id: 'c' }, { documentId: 'doc-c' }]) {
    it(`begins behind a position with the filters ${JSON.stringify(filters)}`, () => {
      const after = { dateAdded: '2026-08-15', id: 'c' };
      const { artists } = select(snapshot, filters, asker, 100, after);
      const all = selected(filters);
      expect(artists.map(({ id }) => id).join('')).to.equal(all.slice(all.indexOf('c') + 1));
    });
  }
});
