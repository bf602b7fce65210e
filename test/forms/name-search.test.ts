import { expect } from 'chai';
import { buildArtist } from '../support/builders.ts';
import { itemsIn } from '../support/forms/form-expectations.ts';
import { keySource } from '../support/forms/form-keys.ts';
import { countOrErrorCode, getAs } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const artistNames = ['A b', 'Be\u0301a', '100%', '(a+)+$', 'ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ', 'Straße', '🎹🎸', 'STRAẞE', 'ΐ'];

const found: readonly (readonly [query: string, names: readonly string[], rule: string])[] = [
  ['name=', artistNames, 'an empty name is no filter'],
  ['name=a+b', ['A b'], 'a plus is a space'],
  ['name=A%20B', ['A b'], 'case is ignored'],
  ['name=B%C3%A9A', ['Be\u0301a'], 'a composed letter matches its decomposed spelling'],
  ['name=100%25', ['100%'], 'a percent sign is literal'],
  ['name=(a%2B)%2B$', ['(a+)+$'], 'a catastrophic regular expression is literal'],
  ['name=%CF%87%CE%B1%CE%BB%CE%BA%CE%B9%CE%BD%CE%B5%CF%82', ['ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ'], 'a final sigma matches a sigma'],
  ['name=STRASSE', ['Straße', 'STRAẞE'], 'a sharp s matches SS'],
  ['name=%F0%9F%8E%B8', ['🎹🎸'], 'a substring matches'],
  ['name=%CE%B9', ['ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ'], 'an iota does not match an iota with two accents'],
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
});
