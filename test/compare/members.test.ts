import { expect } from 'chai';
import { createMemberComparison } from '../../adapters/compare/checks/members.ts';
import type { Json } from '../../src/crosswalk/json.ts';
import type { ComparisonFacts, Condition } from '../../src/crosswalk/rows.ts';
import type { Scope } from '../../src/domain/caller.ts';

const compare = createMemberComparison('artist', { list: 'songs', identity: 'id' });

const factsOf = (conditions: readonly Condition[], scopes?: readonly Scope[]): ComparisonFacts => {
  const hasScope = (scope: Scope) => scopes?.includes(scope);
  return {
    conditions: new Set(conditions),
    hasScope: { current: hasScope, variant: hasScope },
    documentIdOf: (id) => `doc_${id}`,
    partner: undefined,
  };
};

const everything = factsOf(['a list', 'every field'], ['editorial:read', 'signing-notes:read']);

const current = {
  id: 'art_1',
  name: 'A',
  signing: {},
  metrics: { monthly_listeners: 5 },
  songs: [
    { id: 's1', name: 'One', metrics: { streams: 1 } },
    { id: 's2', name: 'Two', metrics: {} },
  ],
};
const variant = {
  id: 'doc_art_1',
  name: 'A',
  signed_status: 'unknown',
  metrics: { monthly_listeners: 5 },
  songs: [
    { id: 's1', name: 'One', streams: 1 },
    { id: 's2', name: 'Two' },
  ],
  total_songs: 2,
};

const unexpected = (ours: Json, theirs: Json, facts: ComparisonFacts = everything): string[] =>
  compare(ours, theirs, facts)
    .filter((line) => line.unexpected !== undefined)
    .map((line) => `${line.current?.path ?? '-'} ${line.variant?.path ?? '-'} ${line.unexpected}`);

describe('createMemberComparison', () => {
  it('returns both members of a line, with their paths and values', () => {
    const line = compare(current, variant, everything).find(({ variant: one }) => one?.path === 'songs[0].streams');
    expect(line).to.include({ kind: 'moved', unexpected: undefined });
    expect(line?.current).to.deep.equal({ path: 'songs[0].metrics.streams', value: 1 });
    expect(line?.variant).to.deep.equal({ path: 'songs[0].streams', value: 1 });
  });

  it('names the row whose check throws', () => {
    const documentIdOf = () => {
      throw new TypeError('secret');
    };
    expect(() => compare(current, variant, { ...everything, documentIdOf })).to.throw(
      /^The check of artist.id threw.$/,
    );
  });

  const { total_songs: _total, ...uncounted } = variant;
  const pairs: readonly (readonly [string, Json, Json, ...string[]])[] = [
    ['nothing for two answers with the same data', current, variant],
    ['a different value', current, { ...variant, name: 'B' }, 'name name The two forms differ.'],
    ['a missing member', { ...current, tier: 'watch' }, variant, 'tier - The variant form lacks it.'],
    ['an additional member', current, { ...variant, tier: 'watch' }, '- tier The current form lacks it.'],
    ['an unknown member', current, { ...variant, secret: 1 }, '- secret No row of the crosswalk has it.'],
    ['a wrong sum', current, { ...variant, total_songs: 3 }, '- total_songs The variant form must say 2.'],
    ['a missing sum', current, uncounted, '- - total_songs: The variant form must say 2.'],
    [
      'a derived member that does not follow from its source',
      { ...current, signing: { status: 'signed' } },
      variant,
      'signing.status signed_status The variant form must say "signed".',
    ],
    [
      'a document identifier of another artist',
      current,
      { ...variant, id: 'doc_2' },
      'id id The variant form must say "doc_art_1".',
    ],
    [
      'another order of songs, once',
      current,
      { ...variant, songs: variant.songs.toReversed() },
      '- - songs[1] of the current form is songs[0] of the variant form.',
    ],
    ['nothing for an empty map in both forms', { ...current, links: {} }, { ...variant, links: {} }],
    ['an empty map in one form', { ...current, links: {} }, variant, 'links - The variant form lacks it.'],
  ];
  for (const [what, ours, theirs, ...expected] of pairs) {
    it(`reports ${what}`, () => expect(unexpected(ours, theirs)).to.deep.equal(expected));
  }

  it('requires a scoped member in both forms with the scope, and in neither without it', () => {
    const ours = { ...current, editorial: { scouting_report: 'Good.' } };
    const theirs = { ...variant, scouting_report: 'Good.' };
    expect(unexpected(ours, theirs)).to.deep.equal([]);
    expect(unexpected(ours, variant)).to.deep.equal(['editorial.scouting_report - The variant form lacks it.']);
    expect(unexpected(ours, theirs, factsOf(['a list', 'every field'], []))).to.deep.equal([
      'editorial.scouting_report scouting_report The current form shows it, though its key lacks editorial:read.',
    ]);
  });

  it('accepts a scoped member in one form alone when the scopes are not known', () => {
    const facts = factsOf(['a list', 'every field']);
    const ours = { ...current, editorial: { scouting_report: 'Good.' } };
    expect(unexpected(ours, variant, facts)).to.deep.equal([]);
    expect(unexpected(ours, { ...variant, scouting_report: 'Bad.' }, facts)).to.deep.equal([
      'editorial.scouting_report scouting_report The two forms differ.',
    ]);
  });

  it('accepts history and songs only in answers to requests for them', () => {
    const withHistory = { ...current, history: { monthly_listeners: [{ date: '2026-01-01', value: 1 }] } };
    expect(unexpected(withHistory, variant)).to.have.lengthOf(2);
    expect(unexpected(withHistory, variant, factsOf(['a list', 'every field', 'history']))).to.deep.equal([]);
    const { songs: _songs, ...basic } = variant;
    expect(unexpected(current, basic, factsOf(['a list']))).to.deep.equal([]);
    expect(unexpected(current, variant, factsOf(['a list']))).to.have.lengthOf(5);
  });
});
