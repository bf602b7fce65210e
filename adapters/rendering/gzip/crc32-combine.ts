// Arithmetic of CRC-32 (RFC 1952, 8): combines the CRCs of parts without reading the parts again. A
// CRC is a polynomial over GF(2), reflected: the highest bit is the coefficient of x⁰.

const one = 0x80000000;
const modulus = 0xedb88320;

const timesX = (factor: number): number => (factor & 1 ? (factor >>> 1) ^ modulus : factor >>> 1);

const multiply = (left: number, right: number): number => {
  let product = 0;
  let shifted = right;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (left & bit) product ^= shifted;
    shifted = timesX(shifted);
  }
  return product >>> 0;
};

/** The factor of a CRC that is followed by `bytes` bytes: x to the power of 8 · `bytes`. */
export const crcShift = (bytes: number): number => {
  let shift = one;
  let square = one >>> 8; // x⁸, a byte
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shift, square);
    square = multiply(square, square);
  }
  return shift;
};

/**
 * The CRC of two consecutive parts, from their CRCs and the `crcShift` of the second part's length.
 */
export const combineCrc32 = (first: number, second: number, shiftOfSecond: number): number =>
  (multiply(first, shiftOfSecond) ^ second) >>> 0;
