import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `aik_<id>_<secret><check>`: the check is the CRC-32 of everything before it, six base62 digits. */
const shape = /^aik_([0-9A-Za-z]{1,64})_([0-9A-Za-z]{7,256})$/;

/** The digits of ids, secrets and checks, by value. */
export const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checkLength = 6;

const checkOf = (text: string): string => {
  let rest = crc32(text);
  let check = '';
  for (let place = 0; place < checkLength; place++) {
    check = base62Digits.charAt(rest % 62) + check;
    rest = Math.floor(rest / 62);
  }
  return check;
};

/** The text of a key made of its public id and its secret (base62 both), with the check appended. */
export const keyText = (id: string, secret: string): string => {
  const unchecked = `aik_${id}_${secret}`;
  return unchecked + checkOf(unchecked);
};

/** The public id in what has the shape of a key's text; its check is not looked at. */
export const idIn = (text: string): string | undefined => shape.exec(text)?.[1];

/** The public id in a key's text, or `undefined` when form or check is wrong: then nobody ever issued it. */
export const keyIdIn = (text: string): string | undefined =>
  checkOf(text.slice(0, -checkLength)) === text.slice(-checkLength) ? idIn(text) : undefined;

/** What is stored instead of a key: SHA-256 of its whole text, lower-case hex. */
export const keyHash = (text: string): string => hash('sha256', text, 'hex');
