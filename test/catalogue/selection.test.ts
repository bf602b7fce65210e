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
  ['one artist by id', { id: 'c' }, 'c'],
  ['artists by a part of the name in any case', { name: 'LPHA' }, 'ac'],
  ['artists by tier', { tier: 'watch' }, 'ace'],
  ['artists added since a day, inclusive', { addedSince: '2026-08-20' }, 'fab'],
  ['artists added within 7 days, inclusive', { addedWithinDays: 7 }, 'abc'],
  ['artists with any other status or none', { signed: false }, 'fbcdg'],
  ['no artist for an invalid filter beside a valid one', { nothing: true, id: 'a' }, ''],
  ['artists that pass all of several filters', { name: 'alpha', tier: 'watch', signed: true }, 'a'],
  ['all artists when each filter is undefined', { id: undefined, name: undefined, nothing: undefined }, allIds],
  ['no artist by a document id in place of an id', { id: 'doc-c' }, ''],
  ['no artist by an empty id', { id: '' }, ''],
  ['one artist by document id', { documentId: 'doc-c' }, 'c'],
  ['artists by a name taken literally', { name: '(live' }, 'd'],
  ['no artist by a pattern', { name: 'A.*a' }, ''],
  ['no artist by a space where the name has a line break', { name: 'gam ma' }, ''],
  ['no artist by a tier in another case', { tier: 'WATCH' }, ''],
  ['no artist by an empty tier', { tier: '' }, ''],
  ['no artist by a tier that is a member of every object', { tier: 'constructor' }, ''],
  ['all artists with a day up to today for any number of days', { addedWithinDays: 999_999_999_999_999 }, 'abcd'],
  ['no artist by document id that does not pass another filter', { documentId: 'doc-b', signed: true }, ''],
  ['no artist by two identifiers of different artists', { documentId: 'doc-b', id: 'a' }, ''],
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
});
