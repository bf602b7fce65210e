import { expect } from 'chai';
import { buildArtist } from '../support/builders.ts';
import { itemsIn } from '../support/forms/form-expectations.ts';
import { keySource } from '../support/forms/form-keys.ts';
import { countOrErrorCode, getAs } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const artistNames = [
  'A b',
  'Be\u0301a',
  '100%',
  'x.*y',
  '(a+)+$',
  'back\\slash',
  '[braces]',
  '{"$gt":""}',
  'ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ',
  'Straße',
  '🎹🎸',
  'zero\u200bwidth',
  '月見坂ラジオ',
] as const;

const found: readonly (readonly [query: string, names: readonly string[], why: string])[] = [
  ['name=', [...artistNames], 'an empty name is no filter'],
  ['name=a+b', ['A b'], 'a plus is a blank'],
  ['name=A%20B', ['A b'], 'case does not count'],
  ['name=B%C3%A9A', ['Be\u0301a'], 'a composed letter is found in its decomposed spelling'],
  ['name=be%CC%81a', ['Be\u0301a'], 'and the other way round'],
  ['name=100%25', ['100%'], 'a percent sign is itself'],
  ['name=.*', ['x.*y'], 'a pattern is a text'],
  ['name=(a%2B)%2B$', ['(a+)+$'], 'a costly pattern is a text'],
  ['name=%5C', ['back\\slash'], 'a backslash is itself'],
  ['name=[', ['[braces]'], 'a bracket is itself'],
  ['name={%22$gt%22:%22%22}', ['{"$gt":""}'], 'an operator is a text'],
  ['name=%CF%87%CE%B1%CE%BB%CE%BA%CE%B9%CE%BD%CE%B5%CF%82', ['ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ'], 'a final sigma is a sigma'],
  ['name=STRASSE', ['Straße'], 'a sharp s is two'],
  ['name=%F0%9F%8E%B8', ['🎹🎸'], 'an emoji is a character'],
  ['name=%E2%80%8B', ['zero\u200bwidth'], 'what is invisible is itself'],
  ['name=%E2%80%AE', [], 'and is not there where it is not'],
  ['name=%E8%A6%8B%E5%9D%82', ['月見坂ラジオ'], 'a part in the middle is found'],
  ['name=nobody', [], 'nobody is nobody'],
  [`name=${'a'.repeat(120)}`, [], '120 characters are allowed'],
  [`name=${'%F0%9F%8E%B8'.repeat(120)}`, [], '120 emoji are 120 characters'],
];

const refused: readonly (readonly [query: string, why: string])[] = [
  [`name=${'a'.repeat(121)}`, '121 characters'],
  [`name=${'%F0%9F%8E%B8'.repeat(121)}`, '121 emoji'],
  ['name=%20%20', 'only blanks'],
  ['name=%09', 'only a tab'],
  ['name=a%00b', 'a zero byte'],
  ['name=a%0ab', 'a line break'],
  ['name=a%7Fb', 'a delete'],
  ['name=%ff%fe', 'bytes that are not UTF-8'],
  ['name=%ED%A0%80', 'half a surrogate pair'],
  ['name=%C0%AE', 'an overlong encoding'],
  ['name=100%', 'a lone percent sign'],
  ['name=%zz', 'a percent sign before no digits'],
  ['name=a&name=b', 'two names'],
];

describe('a search by name', () => {
  let gateway: TestGateway;
  before(async () => {
    const artists = artistNames.map((name, place) =>
      buildArtist({ id: `art_${String(place).padStart(2, '0')}`, documentId: `doc_${place}`, name }),
    );
    gateway = await createTestGateway({ keys: keySource, source: createTestSource({ artists }) });
  });
  after(() => gateway.close());

  for (const [query, names, why] of found) {
    it(`takes the text literally: ${why}`, async () => {
      const reply = await getAs('current', gateway, `/artists?${query}`);
      expect(countOrErrorCode('current', reply)).to.equal(names.length);
      expect(itemsIn(reply.text).map(({ name }) => name)).to.deep.equal(names);
    });
  }

  for (const [query, why] of refused) {
    it(`refuses ${why}`, async () => {
      expect(countOrErrorCode('current', await getAs('current', gateway, `/artists?${query}`))).to.equal(
        'invalid_parameter',
      );
    });
  }
});
