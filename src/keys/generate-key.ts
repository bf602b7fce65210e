import { randomBytes, randomInt } from 'node:crypto';
import { base62Digits, keyHash, keyText } from './key-format.ts';

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

const base = BigInt(base62Digits.length);

/** Encodes bytes (a big-endian number) in base62, left-padded with `0` to `length` digits. */
export const toBase62 = (bytes: Uint8Array, length: number): string => {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = base62Digits.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
};

const randomId = (): string =>
  Array.from({ length: idLength }, () => base62Digits.charAt(randomInt(base62Digits.length))).join('');

/** Generates a key with a public id and a secret of 256 random bits. */
export const generateKey = (): NewKey => {
  const id = randomId();
  const text = keyText(id, toBase62(randomBytes(secretBytes), secretLength));
  return { id, text, hash: keyHash(text) };
};
