import { expect } from 'chai';
import { createHeldSegments } from '../../adapters/rendering/held-segments.ts';
import { catchError } from '../support/catch-error.ts';

const segment = (length: number) => ({ blocks: Buffer.allocUnsafeSlow(length), length, crc32: 0, crcShift: 0 });

const open = (maxBytes: number) => {
  const bytes: number[] = [];
  const held = createHeldSegments({ maxBytes, onChange: (now) => void bytes.push(now) });
  return { held, bytesNow: () => bytes.at(-1) ?? 0 };
};

describe('held segments', () => {
  it('stay at hand until every response that holds them has released them, and are counted once', () => {
    const { held, bytesNow } = open(1_000_000);
    const shared = segment(5_000);
    const [first, second] = [held.open(), held.open()];
    first.add(1, shared);
    const once = bytesNow();
    expect(once).to.be.at.least(5_000);
    second.add(1, shared);
    expect(bytesNow()).to.equal(once);
    first.release();
    expect([held.get(1), bytesNow()]).to.deep.equal([shared, once]);
    second.release();
    expect([held.get(1), bytesNow()]).to.deep.equal([undefined, 0]);
  });

  it('are refused to a second response beyond the bound, until the first is sent', async () => {
    const { held } = open(10_000);
    const [first, second] = [held.open(), held.open()];
    first.add(1, segment(9_000));
    const refusal = await catchError(async () => second.add(2, segment(2_000)));
    expect(refusal).to.include({ kind: 'unavailable', retryAfter: 1 });
    first.release();
    second.add(2, segment(2_000));
    expect(held.get(2)).to.have.length(2_000);
  });

  it('may exceed the bound for a response that is the only one', () => {
    const { held, bytesNow } = open(1);
    const only = held.open();
    for (const id of [1, 2, 3]) only.add(id, segment(5_000));
    expect(bytesNow()).to.be.at.least(15_000);
    only.release();
    expect(bytesNow()).to.equal(0);
  });
});
