import { crc32 } from 'node:zlib';
import { combineCrc32 } from './crc32-combine.ts';
import type { DeflatedSegment } from './deflated-segment.ts';

/** One gzip member (RFC 1952) that is put together from parts, without compressing anything. */
export interface GzipMember {
  /** The next bytes of the member: the header first, whatever was deflated beforehand, the rest as it is. */
  add(part: Buffer | DeflatedSegment): Buffer[];
  /** Its last bytes. */
  end(): Buffer;
}

/** Deflate, no name, no time, an unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** The most bytes that a stored block holds. */
const mostStored = 0xffff;

/** Stored blocks (RFC 1951, 3.2.4) begin on a byte, as everything here ends on one. */
const startOfStored = (length: number, isLast: boolean): Buffer => {
  const start = Buffer.alloc(5);
  start.writeUInt8(isLast ? 1 : 0, 0);
  start.writeUInt16LE(length, 1);
  start.writeUInt16LE(~length & 0xffff, 3);
  return start;
};

const stored = (text: Buffer): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let from = 0; from < text.length; from += mostStored) {
    const piece = text.subarray(from, from + mostStored);
    pieces.push(startOfStored(piece.length, false), piece);
  }
  return pieces;
};

export const createGzipMember = (): GzipMember => {
  let check = 0;
  let length = 0;
  let begun = false;
  return {
    add(part) {
      const start = begun ? [] : [header];
      begun = true;
      length += part.length;
      if (Buffer.isBuffer(part)) {
        check = crc32(part, check);
        return [...start, ...stored(part)];
      }
      check = combineCrc32(check, part.crc32, part.crcShift);
      return [...start, part.blocks];
    },
    end() {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(check, 0);
      trailer.writeUInt32LE(length % 2 ** 32, 4);
      return Buffer.concat([...(begun ? [] : [header]), startOfStored(0, true), trailer]);
    },
  };
};
