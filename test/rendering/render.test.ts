import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  detail,
  type Envelope,
  list,
  ownList,
  streamedList,
} from '../../adapters/forms/envelope.ts';
import { type Body, gzipBody, plainBody } from '../../adapters/rendering/body.ts';
import { type Client, createRenderer, type Render } from '../../adapters/rendering/render.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';

interface Item {
  readonly name: string;
}
interface More {
  readonly more: string;
  readonly complete: boolean;
}

const items = (...names: readonly string[]): Item[] => names.map((name) => ({ name }));
const threeItems = () => [{ name: 'a' }, { name: 'b' }, { name: 'c' }] as const;
const same = (item: Item) => item;
const withMore = ({ name }: Item, { more }: More) => ({ name, more });
const client: Client = { organizationId: 'org_one', isGone: () => false };
const openRenderer = (maxBytes = 1_000_000, clock = createManualClock()): Render =>
  createRenderer({ maxBytes, incompleteMs: 15_000, clock });

const bytesOf = async (body: Body): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of 'stream' in body ? body.stream : body.chunks) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if ('length' in body) expect(bytes.length).to.equal(body.length);
  return bytes;
};

/** The text of an envelope as a client reads it, plain and compressed. */
const read = async (render: Render, envelope: Envelope): Promise<readonly [string, string]> => {
  const [plain, packed] = [await render(envelope, client), await render(envelope, client)];
  const texts = [
    String(await bytesOf(plainBody(plain))),
    String(gunzipSync(await bytesOf(await gzipBody(packed)))),
  ] as const;
  for (const { release } of [plain, packed]) release?.();
  return texts;
};

/** Items whose data is loaded, and the names that were. */
const createLoads = (dataOf = (name: string) => name.repeat(10)) => {
  const loads: string[] = [];
  const deferred = (item: Item) => ({
    item,
    async load(): Promise<More> {
      loads.push(item.name);
      return { more: dataOf(item.name), complete: true };
    },
  });
  return { loads, deferred, member: (item: Item) => detail(deferred(item), withMore) };
};

describe('a rendered list', () => {
  for (const [what, given] of [
    ['no item', items()],
    ['one item', items('a')],
    ['letters of several bytes', items('ä', 'b', '星')],
    ['1,201 items', items(...Array.from({ length: 1_201 }, (_, index) => `ä${index}`))],
    ['20,000 items', items(...Array.from({ length: 20_000 }, (_, index) => `${index}`))],
  ] as const)
    for (const maxBytes of [1, 10_000_000])
      it(`of ${what} is its JSON, plain and compressed, with a cache of ${maxBytes} bytes`, async () => {
        const render = openRenderer(maxBytes);
        const expected = JSON.stringify({ before: 1, data: given, last: 'x' });
        for (const data of [list(given, same), ownList(given, same)])
          for (let times = 0; times < 2; times++)
            for (const text of await read(render, { before: 1, data, after: undefined, last: 'x' }))
              expect(text === expected, text.slice(0, 200)).to.equal(true);
      });

  for (const [what, maxBytes, times] of [
    ['once while the cache has room', 10_000_000, 1],
    ['for each response where it has not', 1, 3],
  ] as const)
    it(`that shares no items is presented ${what}`, async () => {
      let presented = 0;
      const present = (item: Item): Item => {
        presented += 1;
        return item;
      };
      const render = openRenderer(maxBytes);
      const member = { data: ownList(items('a', 'b'), present) };
      for (let asked = 0; asked < 3; asked++) await render(member, client);
      expect(presented).to.equal(2 * times);
    });

  it('presents each item once for a presenter', async () => {
    const presented: string[] = [];
    const present = (item: Item): Item => {
      presented.push(item.name);
      return item;
    };
    const render = openRenderer();
    const [a, b, c] = threeItems();
    for (const given of [[a, b], [b, c], [a], [a, b, c]])
      expect(await read(render, { data: list(given, present) })).to.deep.equal(
        Array(2).fill(JSON.stringify({ data: given })),
      );
    expect(presented).to.deep.equal(['a', 'b', 'c']);
    const other = list([a], ({ name }) => ({ other: name }));
    expect((await read(render, { data: other }))[0]).to.equal('{"data":[{"other":"a"}]}');
  });

  it('is compressed the same way for the first and the last client', async () => {
    const given = items(...Array.from({ length: 100 }, () => randomBytes(20).toString('hex')));
    const render = openRenderer();
    const member = { data: list(given, same) };
    const sent = await Promise.all(
      Array.from({ length: 3 }, async () => bytesOf(await gzipBody(await render(member, client)))),
    );
    for (const bytes of sent) expect(bytes).to.deep.equal(sent[0]);
  });

  it('shares cached bytes only with lists of the same items', async () => {
    const render = openRenderer();
    const [a, b, c] = threeItems();
    const cachedText = async (given: readonly Item[], present = same) => {
      const { parts } = await render({ data: list(given, present) }, client);
      const [text] = parts.filter((part) => !Buffer.isBuffer(part));
      expect(String(await bytesOf(plainBody({ parts, complete: true })))).to.equal(
        JSON.stringify({ data: given.map(present) }),
      );
      return text;
    };
    const first = await cachedText([a, b]);
    expect(await cachedText([a, b])).to.equal(first);
    for (const others of [[a], [b], [a, c], [a, b, c], [b, a], [b, b], [{ name: 'a' }, b]])
      expect(await cachedText(others)).to.not.equal(first);
    expect(await cachedText([a, b], ({ name }) => ({ name: `other ${name}` }))).to.not.equal(first);
    expect(await cachedText([a, b])).to.equal(first);
  });

  it('shares bytes with unread responses, even if they exceed the cache', async () => {
    const render = openRenderer(1);
    const envelope = { data: list(items('a'.repeat(1_000), 'b'), same) };
    const unread: Buffer[] = [];
    for (let times = 0; times < 200; times++) {
      const body = plainBody(await render(envelope, client));
      if ('chunks' in body) unread.push(...body.chunks.filter(({ length }) => length > 500));
    }
    // a joined text every 64 times
    expect(new Set(unread).size).to.equal(1 + 3);
  });
});

describe('a rendered detail', () => {
  it('is loaded once for concurrent requests and a presenter', async () => {
    const { loads, member } = createLoads();
    const render = openRenderer();
    const item = { name: 'a' };
    const ask = () => read(render, { data: member(item) });
    for (const texts of [...(await Promise.all([ask(), ask()])), await ask()])
      expect(texts).to.deep.equal(Array(2).fill('{"data":{"name":"a","more":"aaaaaaaaaa"}}'));
    expect(loads).to.deep.equal(['a']);
    await read(render, { data: member({ name: 'a' }) });
    expect(loads).to.deep.equal(['a', 'a']);
    const other = detail({ item, load: async () => ({ complete: true }) }, ({ name }) => [name]);
    expect(await read(render, { data: other })).to.deep.equal(Array(2).fill('{"data":["a"]}'));
  });

  it('is loaded again after a load that failed', async () => {
    const render = openRenderer();
    const item = { name: 'a' };
    const down = new Error('down');
    const failing = detail({ item, load: () => Promise.reject(down) }, withMore);
    expect(await catchError(() => render({ data: failing }, client))).to.equal(down);
    const up = detail(
      { item, load: async (): Promise<More> => ({ more: 'up', complete: true }) },
      withMore,
    );
    expect((await read(render, { data: up }))[0]).to.equal('{"data":{"name":"a","more":"up"}}');
  });

  it('is loaded again 15 s after an incomplete load, and kept once complete', async () => {
    const clock = createManualClock();
    const render = openRenderer(1_000_000, clock);
    const { loads, deferred } = createLoads();
    const { item, load } = deferred({ name: 'a' });
    let complete = false;
    const member = detail({ item, load: async () => ({ ...(await load()), complete }) }, withMore);
    const isComplete = async () => (await render({ data: member }, client)).complete;
    expect([await isComplete(), await isComplete()]).to.deep.equal([false, false]);
    expect(loads).to.have.length(1);
    complete = true;
    clock.advance(14_999);
    expect(await isComplete()).to.equal(false);
    clock.advance(1);
    expect(await isComplete()).to.equal(true);
    clock.advance(60_000);
    expect(await isComplete()).to.equal(true);
    expect(loads).to.have.length(2);
  });

  it('is sent as it was loaded, even after another load', async () => {
    const clock = createManualClock();
    const render = openRenderer(1_000_000, clock);
    let more = 'first';
    const load = async () => ({ more, complete: false });
    const member = { data: detail({ item: { name: 'a' }, load }, withMore) };
    const slow = await render(member, client);
    more = 'second';
    clock.advance(15_000);
    for (let times = 0; times < 100; times++)
      expect((await read(render, member))[0]).to.include('"second"');
    expect(String(await bytesOf(plainBody(slow)))).to.include('"first"');
  });

  it('returns identical bytes for repeated requests, even if it exceeds the cache', async () => {
    for (const [maxBytes, times] of [
      [1, 8],
      [1_000_000, 2],
      [10_000_000, 2],
    ] as const) {
      const { loads, member } = createLoads((name) => name.repeat(100_000));
      const render = openRenderer(maxBytes);
      const [a, b] = [{ name: 'a' }, { name: 'b' }];
      for (const given of [a, b, a, a]) {
        const whole = JSON.stringify({
          data: { name: given.name, more: given.name.repeat(100_000) },
        });
        for (const text of await read(render, { data: member(given) }))
          expect(text === whole).to.equal(true);
      }
      expect(loads).to.have.length(times);
    }
  });

  it('is rendered after an item that cannot be presented', async () => {
    const render = openRenderer();
    const present = (item: Item): Item => {
      if (item.name === 'broken') throw new Error('not presentable');
      return item;
    };
    const ask = (item: Item) =>
      read(render, { data: detail({ item, load: async () => ({ complete: true }) }, present) });
    const [broken, ...others] = items('broken', 'a', 'b', 'c').map(ask);
    expect(await catchError(async () => broken)).to.include({ message: 'not presentable' });
    const names = (await Promise.all(others)).map(([text]) => JSON.parse(text).data.name);
    expect(names.join()).to.equal('a,b,c');
  });

  it('is loaded again after other details evicted it', async () => {
    const render = openRenderer(2_400);
    // deflates to a little more than 1,000 bytes
    const { loads, member } = createLoads(() => randomBytes(1_000).toString('hex'));
    const [a, b, c] = threeItems();
    for (const one of [a, b, c, a]) await render({ data: member(one) }, client);
    expect(loads).to.deep.equal(['a', 'b', 'c', 'a']);
  });
});

describe('a rendered list with history', () => {
  const openLists = (maxBytes = 1_000_000, clock = createManualClock()) => {
    const { loads, deferred } = createLoads((name) => name.repeat(1_000));
    const render = openRenderer(maxBytes, clock);
    const open = (names: readonly string[], organizationId = 'org_one', isGone = () => false) =>
      render(
        { data: streamedList(items(...names).map(deferred), withMore), end: 1 },
        { organizationId, isGone },
      );
    return { loads, deferred, render, open };
  };

  for (const names of [[], ['a'], ['a', 'b', 'c', 'd', 'e']])
    it(`of ${names.length} items is their JSON, plain and compressed, with any cache`, async () => {
      for (const maxBytes of [1, 1_000_000]) {
        const { open } = openLists(maxBytes);
        const data = names.map((name) => ({ name, more: name.repeat(1_000) }));
        const expected = JSON.stringify({ data, end: 1 });
        for (const encode of [
          async () => bytesOf(plainBody(await open(names, 'org_plain'))),
          async () => gunzipSync(await bytesOf(await gzipBody(await open(names, 'org_gzip')))),
        ])
          expect(String(await encode())).to.equal(expected);
      }
    });

  it('rejects the seventeenth concurrent list, not caused by the caller', async () => {
    const { open } = openLists();
    const held = [];
    for (let index = 0; index < 16; index++)
      held.push(await open(['a'], `org_${Math.floor(index / 2)}`));
    const refusal = { kind: 'unavailable', retryAfter: 1, causedByCaller: false };
    for (let times = 0; times < 2; times++)
      expect(await catchError(() => open(['x'], 'org_last'))).to.include(refusal);
    held.pop()?.release?.();
    (await open(['x'], 'org_last')).release?.();
    for (const { release } of held) release?.();
    for (let index = 0; index < 16; index++) await open(['y'], `org_${index}`);
  });

  it('is incomplete if one of its histories is', async () => {
    const { deferred, render } = openLists();
    const [whole, part] = [deferred({ name: 'a' }), deferred({ name: 'b' })];
    const load = async () => ({ ...(await part.load()), complete: false });
    const listed = streamedList([whole, { item: part.item, load }, whole], withMore);
    expect((await render({ data: listed }, client)).complete).to.equal(false);
  });

  it('returns `unavailable` after 20 s, and keeps loaded histories in the cache', async () => {
    const clock = createManualClock();
    const { loads, deferred, render } = openLists(1_000_000, clock);
    const slow = items('a', 'b', 'c')
      .map(deferred)
      .map(({ item, load }) => ({
        item,
        async load() {
          clock.advance(12_000);
          return await load();
        },
      }));
    const ask = () => render({ data: streamedList(slow, withMore) }, client);
    expect(await catchError(ask)).to.include({ kind: 'unavailable', retryAfter: 1 });
    expect(loads).to.deep.equal(['a', 'b']);
    (await ask()).release?.();
    expect(loads).to.deep.equal(['a', 'b', 'c']);
  });

  it('releases its slot if a history cannot be loaded', async () => {
    const { deferred, render, open } = openLists();
    const broken = items('a', 'broken').map((item) => ({
      ...deferred(item),
      ...(item.name === 'broken' && { load: () => Promise.reject(new Error('down')) }),
    }));
    for (let times = 0; times < 20; times++)
      expect(
        await catchError(() => render({ data: streamedList(broken, withMore) }, client)),
      ).to.include({ message: 'down' });
    expect((await open(['c'])).complete).to.equal(true);
  });
});
