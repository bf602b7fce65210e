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
  'STRAẞE',
  'ΐ',
  'tab\tbed',
  'two  blanks',
  'nul\0l',
  'line\nbreak',
] as const;

const found: readonly (readonly [query: string, names: readonly string[], rule: string])[] = [
  ['name=', [...artistNames], 'an empty name is no filter'],
  ['name=a+b', ['A b'], 'a plus is a space'],
  ['name=A%20B', ['A b'], 'case is ignored'],
  ['name=B%C3%A9A', ['Be\u0301a'], 'a composed letter matches its decomposed spelling'],
  ['name=be%CC%81a', ['Be\u0301a'], 'a decomposed letter matches its composed spelling'],
  ['name=100%25', ['100%'], 'a percent sign is literal'],
  ['name=.*', ['x.*y'], 'a regular expression is literal'],
  ['name=(a%2B)%2B$', ['(a+)+$'], 'a catastrophic regular expression is literal'],
  ['name=%5C', ['back\\slash'], 'a backslash is literal'],
  ['name=[', ['[braces]'], 'a bracket is literal'],
  ['name={%22$gt%22:%22%22}', ['{"$gt":""}'], 'a MongoDB operator is literal'],
  ['name=%CF%87%CE%B1%CE%BB%CE%BA%CE%B9%CE%BD%CE%B5%CF%82', ['ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ'], 'a final sigma matches a sigma'],
  ['name=STRASSE', ['Straße', 'STRAẞE'], 'a sharp s matches SS'],
  ['name=%F0%9F%8E%B8', ['🎹🎸'], 'an emoji is one character'],
  ['name=%E2%80%8B', ['zero\u200bwidth'], 'an invisible character matches itself'],
  ['name=%E2%80%AE', [], 'an invisible character matches nothing else'],
  ['name=%E8%A6%8B%E5%9D%82', ['月見坂ラジオ'], 'a substring matches'],
  ['name=%09', ['tab\tbed'], 'a tab is literal'],
  ['name=%20%20', ['two  blanks'], 'blanks are literal'],
  ['name=L%00l', ['nul\0l'], 'a NUL is literal'],
  ['name=e%0Ab', ['line\nbreak'], 'a line break is literal'],
  ['name=%7F', [], 'a control character matches nothing else'],
  ['name=stra%C3%9Fe', ['Straße', 'STRAẞE'], 'a sharp s matches its capital'],
  ['name=%CE%B9', ['ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ'], 'an iota does not match an iota with two accents'],
  ['name=nobody', [], 'an unknown name matches nothing'],
  [`name=${'a'.repeat(120)}`, [], '120 characters are accepted'],
  [`name=${'%F0%9F%8E%B8'.repeat(120)}`, [], '120 emoji count as 120 characters'],
];

const refused: readonly (readonly [query: string, name: string])[] = [
  [`name=${'a'.repeat(121)}`, '121 characters'],
  [`name=${'%F0%9F%8E%B8'.repeat(121)}`, '121 emoji'],
  ['name=%ff%fe', 'invalid UTF-8'],
  ['name=%ED%A0%80', 'half a surrogate pair'],
  ['name=%C0%AE', 'an overlong encoding'],
  ['name=100%', 'a lone percent sign'],
  ['name=%zz', 'a percent sign without hex digits'],
  ['name=a&name=b', 'two names'],
];

describe('search by name', () => {
  let gateway: TestGateway;
  before(async () => {
    const artists = artistNames.map((name, index) =>
      buildArtist({ id: `art_${String(index).padStart(2, '0')}`, documentId: `doc_${index}`, name }),
    );
    gateway = await createTestGateway({ keys: keySource, source: createTestSource({ artists }) });
  });
  after(() => gateway.close());

  for (const [query, names, rule] of found) {
    it(`returns ${names.length} artists for ?${query.slice(0, 60)}: ${rule}`, async () => {
      const reply = await getAs('current', gateway, `/artists?${query}`);
      expect(countOrErrorCode('current', reply)).to.equal(names.length);
      expect(itemsIn(reply.text).map(({ name }) => name)).to.deep.equal(names);
    });
  }

  for (const [query, name] of refused) {
    it(`refuses ${name}`, async () => {
      expect(countOrErrorCode('current', await getAs('current', gateway, `/artists?${query}`))).to.equal(
        'invalid_parameter',
      );
    });
  }
});
