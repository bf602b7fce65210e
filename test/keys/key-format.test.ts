import { expect } from 'chai';
import fc from 'fast-check';
import { keyHash, keyIdIn, keyText } from '../../src/keys/key-format.ts';

/** Texts whose checks were computed by another program. */
const known = [
  { id: 'aB3dE6gH9', secret: 'x'.repeat(43), check: '3h6ivS', what: 'the usual lengths' },
  { id: 'a', secret: 'x'.repeat(43), check: '4C3H9Y', what: 'an id of one character' },
  { id: 'z', secret: 'q', check: '2xUy4w', what: 'a secret of one character' },
  { id: 'k10486', secret: 'S'.repeat(43), check: '000HTb', what: 'a check padded with zeros' },
] as const;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...digits), { minLength, maxLength }).map((characters) => characters.join(''));

const good = keyText('aB3dE6gH9', 'x'.repeat(43));

describe('key text', () => {
  for (const { id, secret, check, what } of known) {
    it(`ends in the check of everything before it, with ${what}`, () => {
      expect(keyText(id, secret)).to.equal(`aik_${id}_${secret}${check}`);
    });

    it(`tells the id again, with ${what}`, () => {
      expect(keyIdIn(`aik_${id}_${secret}${check}`)).to.equal(id);
    });
  }

  it('tells the id of a key of any accepted length', () => {
    fc.assert(
      fc.property(base62(1, 64), base62(1, 250), (id, secret) => {
        expect(keyIdIn(keyText(id, secret))).to.equal(id);
      }),
    );
  });

  it('refuses a key in which any one character is another', () => {
    const accepted = [...good].flatMap((character, place) =>
      [...digits, '_', '-']
        .filter((other) => other !== character)
        .map((other) => good.slice(0, place) + other + good.slice(place + 1))
        .filter((damaged) => keyIdIn(damaged) !== undefined),
    );
    expect(accepted).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['a prefix alone', 'aik_'],
    ['another prefix', good.replace('aik_', 'AIK_')],
    ['a missing character', good.slice(0, -1)],
    ['a character too many', `${good}0`],
    ['a line break behind it', `${good}\n`],
    ['a blank before it', ` ${good}`],
    ['an empty id', keyText('', 'x'.repeat(43))],
    ['no secret', keyText('aB3dE6gH9', '')],
    ['an id that is not base62', keyText('aB3dE6gH-', 'x'.repeat(43))],
    ['an id of 65 characters', keyText('a'.repeat(65), 'x'.repeat(43))],
    ['a secret that is far too long', keyText('a', 'x'.repeat(10_000))],
    ['a part too many', keyText('a_b', 'x'.repeat(43))],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(keyIdIn(text)).to.equal(undefined);
    });
  }

  it('is stored as its SHA-256 in lower-case hex', () => {
    expect(keyHash('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
