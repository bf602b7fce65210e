import { randomBytes, randomInt } from 'node:crypto';
import { base62Digits, keyHash, keyText, toBase62 } from './key-format.ts';

/** A generated key. Its text is shown to the operator once and never stored; its hash is stored. */
export interface NewKey {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

const idLength = 9;
const secretBytes = 32;
/** The number of base62 digits that 32 bytes need. */
const secretLength = 43;

const randomId = (): string =>
  Array.from({ length: idLength }, () => base62Digits.charAt(randomInt(base62Digits.length))).join(
    '',
  );

/** Generates a key with a public id and a secret of 256 random bits. */
export const generateKey = (): NewKey => {
  const id = randomId();
  const text = keyText(
    id,
    toBase62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength),
  );
  return { id, text, hash: keyHash(text) };
};
