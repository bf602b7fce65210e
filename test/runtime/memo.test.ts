import { expect } from 'chai';
import { byteLru, scopedLru, weakMemo } from '../../src/runtime/memo.ts';

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

  it('does not cache what throws', () => {
    const memo = weakMemo<object, object>();
    const { make } = createMake();
    const owner = {};
    expect(() => memo(owner, failing)).to.throw('down');
    expect(memo(owner, make)).to.equal(memo(owner, make));
  });
});

describe('scopedLru', () => {
  it('drops the least recently used value of an owner above its maximum', () => {
    const memo = scopedLru<object, object>(2);
    const { made, make } = createMake();
    const owner = {};
    const a = memo(owner, 'a', make);
    memo(owner, 'b', make);
    expect(memo(owner, 'a', make)).to.equal(a);
    memo(owner, 'c', make); // drops b
    expect(memo(owner, 'a', make)).to.equal(a);
    expect(made).to.have.length(3);
    memo(owner, 'b', make);
    expect(made).to.have.length(4);
  });

  it('keeps the values of another owner apart', () => {
    const memo = scopedLru<object, object>(1);
    const { make } = createMake();
    const [one, other] = [{}, {}];
    const first = memo(one, 'a', make);
    expect(memo(other, 'a', make)).not.to.equal(first);
    expect(memo(one, 'a', make)).to.equal(first);
  });

  it('does not cache what throws', () => {
    const memo = scopedLru<object, object>(2);
    const { make } = createMake();
    const owner = {};
    expect(() => memo(owner, 'a', failing)).to.throw('down');
    expect(memo(owner, 'a', make)).to.equal(memo(owner, 'a', make));
  });
});

describe('byteLru', () => {
  const createTexts = (maxBytes: number) => byteLru<Buffer>(maxBytes, ({ length }) => length);

  it('holds values up to its maximum size and returns their total size', () => {
    const texts = createTexts(10);
    expect(texts.bytes()).to.equal(0);
    texts.set(1, Buffer.alloc(6));
    texts.set(2, Buffer.alloc(4));
    expect(texts.bytes()).to.equal(10);
    expect(texts.get(1)).to.have.length(6);
  });

  it('drops the least recently used values until a new one fits', () => {
    const texts = createTexts(10);
    texts.set(1, Buffer.alloc(4));
    texts.set(2, Buffer.alloc(4));
    texts.get(1);
    texts.set(3, Buffer.alloc(5));
    expect(texts.get(2)).to.equal(undefined);
    expect(texts.get(1)).to.have.length(4);
    expect(texts.bytes()).to.equal(9);
  });

  it('replaces a value under the same key', () => {
    const texts = createTexts(10);
    texts.set(1, Buffer.alloc(8));
    texts.set(1, Buffer.alloc(3));
    expect(texts.bytes()).to.equal(3);
  });

  it('leaves room for bytes that are held elsewhere', () => {
    const texts = createTexts(10);
    texts.set(1, Buffer.alloc(4));
    texts.set(2, Buffer.alloc(4));
    texts.reserve(5);
    expect([texts.get(1), texts.bytes()]).to.deep.equal([undefined, 4]);
    texts.set(3, Buffer.alloc(5));
    expect([texts.get(2), texts.bytes()]).to.deep.equal([undefined, 5]);
    texts.reserve(11);
    expect(texts.bytes()).to.equal(0);
    texts.reserve(0);
    texts.set(4, Buffer.alloc(10));
    expect(texts.bytes()).to.equal(10);
  });

  it('does not hold a value larger than its bound, and an empty value counts one byte', () => {
    const texts = createTexts(10);
    texts.set(1, Buffer.alloc(11));
    texts.set(2, Buffer.alloc(0));
    expect(texts.get(1)).to.equal(undefined);
    expect(texts.get(2)).to.have.length(0);
    expect(texts.bytes()).to.equal(1);
  });
});
