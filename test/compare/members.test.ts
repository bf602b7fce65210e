import { expect } from 'chai';
import type { Json } from '../../src/domain/json.ts';
import { compareMembers } from '../../tools/compare/checks/members.ts';
import { byForm } from '../../tools/migration/mapping/forms.ts';
import type { ComparisonFacts } from '../../tools/migration/mapping/rows.ts';

const facts: ComparisonFacts = {
  conditions: new Set(['a list', 'every field']),
  hasScope: byForm(() => () => true),
  documentIdOf: (id) => `doc_${id}`,
  partner: undefined,
  now: undefined,
};

const current = { id: 'art_1', name: 'A', signing: {}, songs: [] };
const variant = { id: 'doc_art_1', name: 'A', signed_status: 'unknown', songs: [], total_songs: 0 };

describe('compareMembers', () => {
  const pairs: readonly (readonly [string, Json, Json, ...string[]])[] = [
    [
      'an unknown member',
      current,
      { ...variant, secret: 1 },
      '- secret No row of the mapping has it.',
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
    it(`reports ${what}`, () => {
      const found = compareMembers('artist', ours, theirs, facts)
        .filter((line) => line.unexpected !== undefined)
        .map((line) => `${line.left?.path ?? '-'} ${line.right?.path ?? '-'} ${line.unexpected}`);
      expect(found).to.deep.equal(expected);
    });
  }
});
