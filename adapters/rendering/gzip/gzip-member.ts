import { crc32 } from 'node:zlib';
import { combineCrc32 } from './crc32-combine.ts';
import type { DeflatedSegment } from './deflated-segment.ts';

/** Deflate, no name, no time, unknown operating system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** Maximum bytes of a stored block. */
const maxStoredLength = 0xffff;

/**
 * The header of a stored block (RFC 1951, 3.2.4). It begins on a byte, because everything before it
 * ends on a byte.
 */
const storedHead = (length: number, isLast: boolean): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(isLast ? 1 : 0, 0);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 0xffff, 3);
  return head;
};

const stored = (text: Buffer): Buffer[] => {
  const blocks: Buffer[] = [];
  for (let from = 0; from < text.length; from += maxStoredLength) {
    const block = text.subarray(from, from + maxStoredLength);
    blocks.push(storedHead(block.length, false), block);
  }
  return blocks;
};

/**
 * Assembles a gzip response without compressing: deflated segments end on a byte and refer to
 * nothing before them, and other bytes become stored blocks. The result is one member (RFC 1952),
 * because some readers of gzip stop after the first of several.
 */
export const createGzipMember = () => {
  let crc = 0;
  let length = 0;
  let hasHeader = false;
  return {
    /**
     * Adds the next bytes of the member: its header first, segments unchanged, buffers as stored
     * blocks.
     */
    add(part: Buffer | DeflatedSegment): Buffer[] {
      const start = hasHeader ? [] : [header];
      hasHeader = true;
      length += part.length;
      if (Buffer.isBuffer(part)) {
        crc = crc32(part, crc);
        return [...start, ...stored(part)];
      }
      crc = combineCrc32(crc, part.crc32, part.crcShift);
      return [...start, part.blocks];
    },
    /** Its last bytes. */
    end(): Buffer {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(crc, 0);
      trailer.writeUInt32LE(length % 2 ** 32, 4);
      return Buffer.concat([...(hasHeader ? [] : [header]), storedHead(0, true), trailer]);
    },
  };
};
