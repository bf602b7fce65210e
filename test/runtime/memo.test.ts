import { expect } from 'chai';
import fc from 'fast-check';
import { byteLru, entryBytes, scopedLru, weakMemo } from '../../src/runtime/memo.ts';
import { catchError } from '../support/catch-error.ts';

/** Makes a new object at each call and counts the calls. */
const createMake = () => {
  const made: object[] = [];
  const make = (): object => {
    const value = {};
    made.push(value);
    return value;
  };
  return { made, make };
};

const failing = (): never => {
  throw new Error('down');
};

describe('weakMemo', () => {
  it('makes one value for each owner and key', () => {
    const memo = weakMemo<object, object, string>();
    const { made, make } = createMake();
    const [one, other] = [{}, {}];
    const first = memo(one, make, 'a');
    expect(memo(one, make, 'a')).to.equal(first);
    expect(memo(one, make, 'b')).not.to.equal(first);
    expect(memo(other, make, 'a')).not.to.equal(first);
    expect(made).to.have.length(3);
  });
});

describe('scopedLru', () => {
  it('drops the least recently used value of an owner above its maximum', () => {
    const memo = scopedLru<object, object>(2);
    const { made, make } = createMake();
    const owner = {};
    const a = memo(owner, make, 'a');
    memo(owner, make, 'b');
    expect(memo(owner, make, 'a')).to.equal(a);
    memo(owner, make, 'c'); // drops b
    expect(memo(owner, make, 'a')).to.equal(a);
    expect(made).to.have.length(3);
    memo(owner, make, 'b');
    expect(made).to.have.length(4);
  });

  it('keeps the values of another owner apart', () => {
    const memo = scopedLru<object, object>(1);
    const { make } = createMake();
    const [one, other] = [{}, {}];
    const first = memo(one, make, 'a');
    expect(memo(other, make, 'a')).not.to.equal(first);
    expect(memo(one, make, 'a')).to.equal(first);
  });

  it('drops a promise that rejects, and keeps a promise that resolves', async () => {
    const memo = scopedLru<object, Promise<number>>(2);
    const owner = {};
    const ask = (make: () => Promise<number>) => memo(owner, make);
    const failed = ask(() => Promise.reject(new Error('down')));
    expect(ask(async () => 1)).to.equal(failed);
    expect(await catchError(() => failed)).to.have.property('message', 'down');
    const found = ask(async () => 2);
    expect([await found, await ask(async () => 3)]).to.deep.equal([2, 2]);
  });
});

it('caches no call that throws', () => {
  const { make } = createMake();
  const owner = {};
  for (const memo of [weakMemo<object, object, string>(), scopedLru<object, object>(2)]) {
    expect(() => memo(owner, failing, 'a')).to.throw('down');
    expect(memo(owner, make, 'a')).to.equal(memo(owner, make, 'a'));
  }
});

describe('byteLru', () => {
  const keys = [{}, {}, {}, {}, {}];
  const anyStep = fc.record({
    step: fc.constantFrom('set', 'set', 'get'),
    key: fc.constantFrom(...keys),
    bytes: fc.oneof(fc.nat(2_000), fc.nat(8_000)),
  });

  it('holds the values that were used last, as many as fit', () => {
    const bound = 4 * (1_000 + entryBytes);
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const texts = byteLru<Buffer>(bound, ({ length }) => length);
        // the most recently used entry is last
        let held: { readonly key: object; readonly bytes: number }[] = [];
        const sizeOfHeld = () => held.reduce((sum, { bytes }) => sum + bytes + entryBytes, 0);
        for (const { step, key, bytes } of steps) {
          const known = held.filter((one) => one.key === key);
          const others = held.filter((one) => one.key !== key);
          if (step === 'get') expect(texts.get(key)?.length).to.equal(known[0]?.bytes);
          if (step === 'set') texts.set(key, Buffer.alloc(bytes));
          if (bytes + entryBytes > bound && step === 'set')
            held = others; // larger than the whole bound
          else held = [...others, ...{ get: known, set: [{ key, bytes }] }[step]];
          while (held.length > 0 && sizeOfHeld() > bound) held.shift();
          expect(texts.bytes()).to.equal(sizeOfHeld());
        }
      }),
      { numRuns: 500 },
    );
  });
});
