import { randomBytes } from 'node:crypto';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { combineCrc32, crcShift } from '../../adapters/rendering/gzip/crc32-combine.ts';
import { deflateSegment, inflateSegment } from '../../adapters/rendering/gzip/deflated-segment.ts';
import { createGzipMember } from '../../adapters/rendering/gzip/gzip-member.ts';

/** Text of few letters, some of it longer than a stored block holds. */
const text = fc
  .tuple(fc.uint8Array({ maxLength: 40, size: 'max' }), fc.constantFrom(1, 1, 1, 7, 4_000))
  .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));

const part = fc.record({ text, isDeflated: fc.boolean() });

describe('a gzip member assembled from parts', () => {
  it('decompresses to the text of its parts, deflated or not, in any order', () =>
    fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const member = createGzipMember();
        const chunks: Buffer[] = [];
        for (const { text, isDeflated } of parts)
          chunks.push(...member.add(isDeflated ? await deflateSegment(text) : text));
        chunks.push(member.end());
        const whole = Buffer.concat(parts.map(({ text }) => text));
        const gzip = Buffer.concat(chunks);
        expect(gunzipSync(gzip).equals(whole)).to.equal(true);
        // One member: its deflated text ends where the check and the length begin, and they end it.
        expect(inflateRawSync(gzip.subarray(10, -8)).equals(whole)).to.equal(true);
        expect([
          gzip.readUInt32LE(gzip.length - 8),
          gzip.readUInt32LE(gzip.length - 4),
        ]).to.deep.equal([crc32(whole), whole.length]);
      }),
      { numRuns: 300 },
    ));

  for (const length of [0, 1, 62, 63, 64, 65, 16_383, 16_384, 16_385, 65_536, 500_000]) {
    it(`inflates a segment of ${length} bytes, compressible or not`, async () => {
      for (const given of [Buffer.alloc(length, 'ab'), randomBytes(length)]) {
        expect(inflateSegment(await deflateSegment(given)).equals(given)).to.equal(true);
      }
    });
  }
});

describe('CRC-32 of a whole', () => {
  it('is computed from the CRC-32s of its parts', () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const joined = combineCrc32(crc32(first), crc32(second), crcShift(second.length));
        expect(joined).to.equal(crc32(Buffer.concat([first, second])));
      }),
    );
  });
});
