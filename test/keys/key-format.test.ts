import { expect } from 'chai';
import fc from 'fast-check';
import { keyIdIn, keyText } from '../../src/keys/key-format.ts';

/** Key texts whose checksums were computed by another program. */
const known = [
  { id: 'aB3dE6gH9', secret: 'x'.repeat(43), check: '3h6ivS', name: 'the usual lengths' },
  { id: 'a', secret: 'x'.repeat(43), check: '4C3H9Y', name: 'an id of one character' },
  { id: 'z', secret: 'q', check: '2xUy4w', name: 'a secret of one character' },
  { id: 'k10486', secret: 'S'.repeat(43), check: '000HTb', name: 'a checksum padded with zeros' },
] as const;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (minLength: number, maxLength: number) =>
  fc
    .array(fc.constantFrom(...digits), { minLength, maxLength })
    .map((characters) => characters.join(''));

const good = keyText('aB3dE6gH9', 'x'.repeat(43));

describe('key text', () => {
  for (const { id, secret, check, name } of known) {
    it(`ends in the checksum of the rest, and yields its id, with ${name}`, () => {
      expect(keyText(id, secret)).to.equal(`aik_${id}_${secret}${check}`);
      expect(keyIdIn(`aik_${id}_${secret}${check}`)).to.equal(id);
    });
  }

  it('yields its id at any accepted length', () => {
    fc.assert(
      fc.property(base62(1, 64), base62(1, 250), (id, secret) => {
        expect(keyIdIn(keyText(id, secret))).to.equal(id);
      }),
    );
  });

  it('is rejected when any one character is replaced', () => {
    const accepted = [...good].flatMap((character, index) =>
      [...digits, '_', '-']
        .filter((other) => other !== character)
        .map((other) => good.slice(0, index) + other + good.slice(index + 1))
        .filter((damaged) => keyIdIn(damaged) !== undefined),
    );
    expect(accepted).to.deep.equal([]);
  });

  it('is rejected with another prefix, length, part or character', () => {
    const secret = 'x'.repeat(43);
    for (const text of [
      ...['', 'aik_', good.replace('aik_', 'AIK_'), good.slice(0, -1)],
      ...[`${good}0`, `${good}\n`, ` ${good}`],
      ...[keyText('', secret), keyText('aB3dE6gH9', ''), keyText('aB3dE6gH-', secret)],
      ...[
        keyText('a'.repeat(65), secret),
        keyText('a', 'x'.repeat(10_000)),
        keyText('a_b', secret),
      ],
    ])
      expect(keyIdIn(text), text).to.equal(undefined);
  });
});
