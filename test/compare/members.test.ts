import { expect } from 'chai';
import { compareMembers } from '../../tools/compare/checks/members.ts';
import type { Json } from '../../tools/migration/mapping/json.ts';
import type { ComparisonFacts } from '../../tools/migration/mapping/rows.ts';

const compare = (...sides: [Json, Json, ComparisonFacts]) => compareMembers('artist', ...sides);

const factsOf = (hasScope: () => boolean | undefined): ComparisonFacts => ({
  conditions: new Set(['a list', 'every field']),
  hasScope: { current: hasScope, variant: hasScope },
  documentIdOf: (id) => `doc_${id}`,
  partner: undefined,
  now: undefined,
});

const everything = factsOf(() => true);

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
    .map((line) => `${line.left?.path ?? '-'} ${line.right?.path ?? '-'} ${line.unexpected}`);

describe('compareMembers', () => {
  it('returns both members of a line, with their paths and values', () => {
    const line = compare(current, variant, everything).find(
      ({ right: one }) => one?.path === 'songs[0].streams',
    );
    expect(line).to.include({ kind: 'moved', unexpected: undefined });
    expect(line?.left).to.deep.equal({ path: 'songs[0].metrics.streams', value: 1 });
    expect(line?.right).to.deep.equal({ path: 'songs[0].streams', value: 1 });
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
    [
      'an additional member',
      current,
      { ...variant, tier: 'watch' },
      '- tier The current form lacks it.',
    ],
    ['a missing sum', current, uncounted, '- - total_songs: The variant form lacks 2.'],
    [
      'an unknown member',
      current,
      { ...variant, secret: 1 },
      '- secret No row of the mapping has it.',
    ],
    [
      'another order of songs, once',
      current,
      { ...variant, songs: variant.songs.toReversed() },
      'songs[1].id songs[0].id The current form and the variant form list songs in different orders.',
    ],
    [
      'a song that only the variant form has, and no other',
      current,
      {
        ...variant,
        songs: [{ id: 's1', name: 'One', streams: 1 }, { id: 'x' }, { id: 's2', name: 'Two' }],
      },
      '- songs[1].id The current form lacks it.',
    ],
    [
      'a number in place of an object',
      { ...current, signing: 5 },
      variant,
      'signing - No row of the mapping has it.',
    ],
    [
      'nothing for an empty map in both forms',
      { ...current, links: {} },
      { ...variant, links: {} },
    ],
    [
      'an empty map in one form',
      { ...current, links: {} },
      variant,
      'links - The variant form lacks it.',
    ],
  ];
  for (const [what, ours, theirs, ...expected] of pairs) {
    it(`reports ${what}`, () => expect(unexpected(ours, theirs)).to.deep.equal(expected));
  }

  it('accepts a scoped member in one form alone when the scopes are not known', () => {
    const facts = factsOf(() => undefined);
    const ours = { ...current, editorial: { scouting_report: 'Good.' } };
    expect(unexpected(ours, variant, facts)).to.deep.equal([]);
    expect(unexpected(ours, { ...variant, scouting_report: 'Bad.' }, facts)).to.deep.equal([
      'editorial.scouting_report scouting_report The two forms differ.',
    ]);
  });
});
