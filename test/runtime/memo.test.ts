import { expect } from 'chai';
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

  it('does not cache what throws', () => {
    const memo = scopedLru<object, object>(2);
    const { make } = createMake();
    const owner = {};
    expect(() => memo(owner, failing, 'a')).to.throw('down');
    expect(memo(owner, make, 'a')).to.equal(memo(owner, make, 'a'));
  });

  it('drops a promise that rejects, and keeps one that resolves', async () => {
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

it('caches nothing where a cache is not kept', () => {
  const { made, make } = createMake();
  const [byOwner, byKey, owner] = [weakMemo<object, object>(false), scopedLru<object, object>(2, false), {}];
  for (const memo of [byOwner, byOwner, byKey, byKey]) memo(owner, make);
  expect(made).to.have.length(4);
  const texts = byteLru<Buffer>(10_000, ({ length }) => length, false);
  texts.set(1, Buffer.alloc(10));
  expect([texts.get(1), texts.bytes()]).to.deep.equal([undefined, 0]);
});

describe('byteLru', () => {
  /** Room for so many entries of 1,000 bytes. */
  const createTexts = (entries: number) => byteLru<Buffer>(entries * (1_000 + entryBytes), ({ length }) => length);
  const text = (length = 1_000) => Buffer.alloc(length);
  const held = (texts: ReturnType<typeof createTexts>, ...keys: readonly number[]) =>
    keys.filter((key) => texts.get(key) !== undefined);

  it('counts the bytes of a value and those of its entry', () => {
    const texts = createTexts(2);
    expect(texts.bytes()).to.equal(0);
    texts.set(1, text());
    texts.set(2, text(0));
    expect(texts.bytes()).to.equal(1_000 + 2 * entryBytes);
    expect(texts.get(1)).to.have.length(1_000);
  });

  it('drops the least recently used values until a new one fits', () => {
    const texts = createTexts(2);
    texts.set(1, text());
    texts.set(2, text());
    texts.get(1);
    texts.set(3, text());
    expect(held(texts, 1, 2, 3)).to.deep.equal([1, 3]);
  });

  it('replaces a value under the same key', () => {
    const texts = createTexts(2);
    texts.set(1, text());
    texts.set(1, text(3));
    expect(texts.bytes()).to.equal(3 + entryBytes);
  });

  it('drops a value that is deleted', () => {
    const texts = createTexts(2);
    texts.set(1, text());
    texts.delete(1);
    expect([held(texts, 1), texts.bytes()]).to.deep.equal([[], 0]);
  });

  it('leaves room for bytes that are held elsewhere', () => {
    const texts = createTexts(2);
    texts.set(1, text());
    texts.set(2, text());
    texts.reserve(1);
    expect(held(texts, 1, 2)).to.deep.equal([2]);
    texts.set(3, text());
    expect(held(texts, 2, 3)).to.deep.equal([3]);
    texts.reserve(2 * (1_000 + entryBytes));
    expect(texts.bytes()).to.equal(0);
    texts.reserve(0);
    texts.set(4, text());
    texts.set(5, text());
    expect(held(texts, 4, 5)).to.deep.equal([4, 5]);
  });

  it('does not hold a value larger than its bound', () => {
    const texts = createTexts(1);
    texts.set(1, text(1_001));
    expect(texts.bytes()).to.equal(0);
  });
});
