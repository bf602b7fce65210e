import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `aik_<id>_<secret><check>`: the check is the CRC-32 of everything before it, in six base62 digits
 * (data format, "api_keys").
 */
const keyPattern = /^aik_([0-9A-Za-z]{1,64})_([0-9A-Za-z]{7,256})$/;

/** The digits of ids, secrets and checks, by value. */
export const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(base62Digits.length);
const checkLength = 6;

/** Encodes a number in base62, left-padded with `0` to `length` digits. */
export const toBase62 = (number: bigint, length: number): string => {
  let rest = number;
  let text = '';
  while (text.length < length) {
    text = base62Digits.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
};

const checkOf = (text: string): string => toBase62(BigInt(crc32(text)), checkLength);

/** Composes a key's text from its public id and its secret (both base62) and appends the check. */
export const keyText = (id: string, secret: string): string => {
  const unchecked = `aik_${id}_${secret}`;
  return unchecked + checkOf(unchecked);
};

/** A whole, truncated or extended key in a text. */
const keyInText = /aik_([0-9A-Za-z]+)_\w+/;
const keysInText = new RegExp(keyInText, 'g');

/** The public id of the first key in a text; `undefined` without one. */
export const findKeyId = (text: string): string | undefined => keyInText.exec(text)?.[1];

/** Replaces every key in a text by its public id: `aik_3fK9sQ2xA_…`. */
export const redactKeyTexts = (text: string): string =>
  text.includes('aik_') ? text.replace(keysInText, 'aik_$1_…') : text; // faster without a key

/**
 * The public id in a key; `undefined` if pattern or check is wrong, so that the key was never
 * issued.
 */
export const keyIdIn = (text: string): string | undefined =>
  checkOf(text.slice(0, -checkLength)) === text.slice(-checkLength)
    ? keyPattern.exec(text)?.[1]
    : undefined;

/** The stored hash of a key: SHA-256 of its whole text, lower-case hex. */
export const keyHash = (text: string): string => hash('sha256', text, 'hex');
