import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { detail, list, streamedList } from '../../adapters/forms/envelope.ts';
import { type BodyCache, createBodyCache } from '../../adapters/rendering/body-cache.ts';
import type { CachedBody } from '../../adapters/rendering/body-store.ts';
import type { Clock } from '../../src/ports.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

interface Item {
  readonly name: string;
}

const items = (...names: readonly string[]): Item[] => names.map((name) => ({ name }));
const same = (item: Item) => item;
interface More {
  readonly more: string;
  readonly complete: boolean;
}

const withMore = ({ name }: Item, { more }: Pick<More, 'more'>) => ({ name, more });
const joined = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString();
const reader = { organizationId: 'org_one', isGone: () => false };
const openCache = (maxBytes = 1_000_000, clock: Clock = createManualClock()): BodyCache =>
  createBodyCache({ maxBytes, incompleteMs: 15_000, clock, log: createMemoryLog() });

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

describe('body cache: lists', () => {
  it('are the JSON of their items however often they are sent, item by item or joined', () => {
    for (const maxBytes of [1, 1_000_000]) {
      const bodies = openCache(maxBytes);
      for (const given of [items(), items('a'), items('ä', 'b', '星')]) {
        const body = bodies.list(list(given, same));
        for (let times = 0; times < 70; times++)
          expect(`[${joined(body.chunks())}]`).to.equal(JSON.stringify(given));
        expect(body.length).to.equal(Buffer.byteLength(JSON.stringify(given)) - 2);
      }
    }
  });

  /** The number of chunks of each of 64 sends. */
  const sends = (body: CachedBody | undefined) =>
    Array.from({ length: 64 }, () => body?.chunks().length);

  it('are joined when they are sent for the 64th time, and sent so from then on', () => {
    const body = openCache().list(list(items('a', 'b'), same));
    expect(sends(body)).to.deep.equal([...Array(63).fill(2), 1]);
    expect(body.chunks().map(String)).to.deep.equal(['{"name":"a"},{"name":"b"}']);
  });

  it('are joined again where others took the room', () => {
    const text = 'x'.repeat(1_000);
    const bodies = openCache(4_000); // room for one
    const [first, second] = ['a', 'b'].map((name) =>
      bodies.list(list(items(name + text, text), same)),
    );
    for (const body of [first, second, first])
      expect(sends(body)).to.deep.equal([...Array(63).fill(2), 1]);
  });

  it('are one body for a list and a presenter, and others for another presenter', () => {
    const bodies = openCache();
    const given = items('a', 'b', 'c');
    expect(bodies.list(list(given, same))).to.equal(bodies.list(list(given, same)));
    const [first] = bodies.list(list(given, ({ name }) => ({ other: name }))).chunks();
    expect(String(first)).to.equal('{"other":"a"},');
  });

  it('are one body for two lists of the same items, and others for lists that differ in one', () => {
    const bodies = openCache();
    const [a, b, c] = items('a', 'b', 'c');
    if (a === undefined || b === undefined || c === undefined) throw new Error('three items');
    const body = bodies.list(list([a, b], same));
    expect(bodies.list(list([a, b], same))).to.equal(body);
    for (const other of [[a], [a, c], [b, a], [a, b, c], [{ name: 'a' }, b]]) {
      const listed = bodies.list(list(other, same));
      expect(listed).not.to.equal(body);
      expect(`[${joined(listed.chunks())}]`).to.equal(JSON.stringify(other));
    }
    expect(bodies.list(list([a, b], same))).to.equal(body);
    expect(bodies.list(list([], same)).length).to.equal(0);
  });

  it('hold each item in a buffer of its own, which is freed with the item', () => {
    const [first, second] = openCache()
      .list(list(items('ä', 'b', 'c'), same))
      .chunks();
    expect(first?.buffer.byteLength).to.equal(first?.length);
    expect(second?.buffer).not.to.equal(first?.buffer);
  });

  it('are deflated one after another with a rest of 25 ms, however many are asked for', async () => {
    const bodies = openCache();
    const listed = Array.from({ length: 5 }, (_, index) =>
      bodies.list(list(items(`a${index}`), same)),
    );
    const deflated = () => listed.filter((body) => body.deflated() !== undefined).length;
    const start = performance.now();
    for (let count = 1; count <= listed.length; count++) {
      await until(`${count} lists are deflated`, () => deflated() >= count);
      expect(deflated()).to.equal(count);
      // a timer may be early by less than 1 ms
      expect(performance.now() - start).to.be.at.least((count - 1) * 24);
    }
  });
});

describe('body cache: details', () => {
  const textOf = (body: CachedBody): string => joined(body.chunks());

  it('load once for requests at the same time, and not again while item and presenter are the same', async () => {
    const { loads, member } = createLoads();
    const bodies = openCache();
    const item = { name: 'a' };
    const together = await Promise.all([bodies.detail(member(item)), bodies.detail(member(item))]);
    for (const body of [...together, await bodies.detail(member(item))]) {
      expect(textOf(body)).to.equal('{"name":"a","more":"aaaaaaaaaa"}');
      expect(body.length).to.equal(32);
    }
    expect(loads).to.deep.equal(['a']);
    await bodies.detail(member({ name: 'a' }));
    expect(loads).to.deep.equal(['a', 'a']);
    const other = await bodies.detail(
      detail({ item, load: async () => ({ complete: true }) }, ({ name }) => ({ other: name })),
    );
    expect(textOf(other)).to.equal('{"other":"a"}');
  });

  it('are loaded again after a load that failed', async () => {
    const bodies = openCache();
    const item = { name: 'a' };
    const down = new Error('down');
    const failing = detail({ item, load: () => Promise.reject(down) }, withMore);
    expect(await catchError(() => bodies.detail(failing))).to.equal(down);
    const body = await bodies.detail(
      detail({ item, load: async (): Promise<More> => ({ more: 'up', complete: true }) }, withMore),
    );
    expect(textOf(body)).to.equal('{"name":"a","more":"up"}');
  });

  it('are read again 15 s after a load that was incomplete, and kept once it is complete', async () => {
    const clock = createManualClock();
    const bodies = openCache(1_000_000, clock);
    const { loads, deferred } = createLoads();
    const { item, load } = deferred({ name: 'a' });
    let complete = false;
    const member = detail({ item, load: async () => ({ ...(await load()), complete }) }, withMore);
    const isComplete = async () => (await bodies.detail(member)).complete;
    expect([await isComplete(), await isComplete()]).to.deep.equal([false, false]);
    expect(loads).to.have.length(1);
    complete = true;
    clock.advance(15_000);
    expect(await isComplete()).to.equal(true);
    clock.advance(60_000);
    expect(await isComplete()).to.equal(true);
    expect(loads).to.have.length(2);
  });

  it('have the same text from the plain and from the deflated copy, also when neither fits into the cache', async () => {
    for (const maxBytes of [1, 1_000_000, 10_000_000]) {
      const { loads, member } = createLoads((name) => name.repeat(100_000));
      const bodies = openCache(maxBytes);
      const [item, other] = [{ name: 'a' }, { name: 'b' }];
      for (const given of [item, other, item]) {
        const body = await bodies.detail(member(given));
        const whole = JSON.stringify(withMore(given, { more: given.name.repeat(100_000) }));
        for (let times = 0; times < 2; times++) expect(textOf(body) === whole).to.equal(true);
        expect(body.deflated()?.length).to.equal(whole.length);
      }
      expect(loads).to.have.length(maxBytes === 1 ? 3 : 2);
    }
  });

  it('are written as JSON and deflated one after another, also behind one that cannot be presented', async () => {
    const bodies = openCache();
    const presented: string[] = [];
    const present = (item: Item): Item => {
      presented.push(item.name);
      if (item.name === 'broken') throw new Error('not presentable');
      return item;
    };
    const bodyOf = (item: Item) =>
      bodies.detail(detail({ item, load: async () => ({ complete: true }) }, present));
    const [broken, ...others] = items('broken', 'a', 'b', 'c').map(bodyOf);
    expect(await catchError(() => broken)).to.include({ message: 'not presentable' });
    const [first] = others;
    await first;
    expect(presented).to.have.length.below(4);
    expect((await Promise.all(others)).map((body) => JSON.parse(textOf(body)).name)).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
  });

  it('are loaded again after eviction by others', async () => {
    const bodies = openCache(2_000);
    // deflates to a little more than 1,000 bytes
    const { loads, member } = createLoads(() => randomBytes(1_000).toString('hex'));
    const [first, ...others] = items('a', 'b', 'c').map(member);
    if (first === undefined) throw new Error('three items were made');
    for (const one of [first, ...others, first]) await bodies.detail(one);
    expect(loads).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  it('are inflated for each of 63 sends and kept from the 64th on', async () => {
    const { member } = createLoads();
    const body = await openCache().detail(member({ name: 'a' }));
    const sent = Array.from({ length: 65 }, () => body.chunks()[0]);
    expect(new Set(sent).size).to.equal(64);
    expect(sent[64]).to.equal(sent[63]);
  });

  it('of a list stay at hand until they are sent, whatever the cache drops, and are not kept plain', async () => {
    for (const maxBytes of [1, 1_000_000]) {
      const { loads, deferred } = createLoads((name) => name.repeat(1_000));
      const bodies = openCache(maxBytes);
      const listed = streamedList(items('a', 'b', 'c', 'd', 'e').map(deferred), withMore);
      const held = await bodies.details(listed, reader);
      expect(loads).to.have.length(5);
      for (let times = 0; times < 2; times++)
        expect(held.bodies.map((body) => JSON.parse(textOf(body)).name)).to.deep.equal([
          'a',
          'b',
          'c',
          'd',
          'e',
        ]);
      expect(held.bodies[0]?.chunks()[0]).not.to.equal(held.bodies[0]?.chunks()[0]);
      expect(loads).to.have.length(5);
      held.release();
    }
  });

  /**
   * Histories of 4,000 bytes, deflated, for a cache that holds four of them; one organization has
   * room for one.
   */
  const openLargeLists = () => {
    const bodies = openCache(18_500);
    // deflates to half
    const { loads, deferred } = createLoads(() => randomBytes(4_000).toString('hex'));
    const open = (listed: readonly ReturnType<typeof deferred>[], organizationId = 'org_one') =>
      bodies.details(streamedList(listed, withMore), { ...reader, organizationId });
    const listOf = (...names: readonly string[]) => items(...names).map(deferred);
    return { loads, open, listOf };
  };

  it('of a list are refused to a second response of an organization beyond its share, until the first is sent', async () => {
    const { loads, open, listOf } = openLargeLists();
    const first = await open(listOf('a', 'b'));
    const refusal = { kind: 'unavailable', retryAfter: 1, isCallersDoing: true };
    for (let times = 0; times < 2; times++)
      expect(await catchError(() => open(listOf('c')))).to.include(refusal);
    expect(loads).to.deep.equal(['a', 'b']);
    (await open(listOf('d'), 'org_two')).release();
    first.release();
    expect((await open(listOf('c', 'd', 'e'))).bodies).to.have.length(3);
  });

  it('of a list are given to one of two responses of an organization that begin together, where both have no room', async () => {
    const { open, listOf } = openLargeLists();
    const [first, second] = await Promise.allSettled([
      open(listOf('b', 'c')),
      open(listOf('d', 'e')),
    ]);
    expect([first.status, second.status].sort()).to.deep.equal(['fulfilled', 'rejected']);
  });

  it('of a list are refused to a ninth organization beyond the bound, which is not its own doing', async () => {
    const { open, listOf } = openLargeLists();
    const held = [];
    for (let index = 0; index < 8; index++) {
      held.push(
        await open(
          listOf(...Array.from({ length: 3 }, (_, item) => `${index} ${item}`)),
          `org_${index}`,
        ),
      );
    }
    const refusal = { kind: 'unavailable', retryAfter: 1, isCallersDoing: false };
    for (let times = 0; times < 2; times++)
      expect(await catchError(() => open(listOf('x'), 'org_last'))).to.include(refusal);
    held.pop()?.release();
    (await open(listOf('x'), 'org_last')).release();
    for (const { release } of held) release();
    for (let index = 0; index < 3; index++)
      held.push(await open(listOf('y'), `org_again_${index}`));
    // what was released is not counted as held
    expect((await open(listOf('z'), 'org_last')).bodies).to.have.length(1);
  });

  it('of a list take their room from the cache while they are sent, and give it back', async () => {
    const { open, listOf, loads } = openLargeLists();
    const kept = listOf('a');
    for (let times = 0; times < 6; times++) (await open(kept)).release();
    expect(loads).to.deep.equal(['a']);
    // the cache has room for three, and for one beside two that are held
    const held = await open(listOf('b', 'c'));
    (await open(kept, 'org_two')).release();
    expect(loads).to.deep.equal(['a', 'b', 'c', 'a']);
    held.release();
  });

  it('of a list are not loaded further once nobody waits for it', async () => {
    const { loads, deferred } = createLoads();
    const bodies = openCache();
    const listed = streamedList(items('a', 'b', 'c', 'd', 'e').map(deferred), withMore);
    (await bodies.details(listed, { ...reader, isGone: () => loads.length > 0 })).release();
    expect(loads).to.deep.equal(['a']);
  });

  it('of a list are refused as unavailable after 20 s, and what was loaded by then stays cached', async () => {
    const { loads, deferred } = createLoads();
    const clock = createManualClock();
    const bodies = openCache(1_000_000, clock);
    const slow = items('a', 'b', 'c')
      .map(deferred)
      .map(({ item, load }) => ({
        item,
        async load() {
          clock.advance(12_000);
          return await load();
        },
      }));
    const refusal = await catchError(() => bodies.details(streamedList(slow, withMore), reader));
    expect(refusal).to.include({ kind: 'unavailable', retryAfter: 1 });
    expect(loads).to.deep.equal(['a', 'b']);
    expect((await bodies.details(streamedList(slow, withMore), reader)).bodies).to.have.length(3);
    expect(loads).to.deep.equal(['a', 'b', 'c']);
  });

  it('of a list are released when one cannot be loaded', async () => {
    const { open, listOf } = openLargeLists();
    const [broken] = listOf('broken').map((item) => ({
      ...item,
      load: () => Promise.reject(new Error('down')),
    }));
    if (broken === undefined) throw new Error('an item was made');
    expect(await catchError(() => open([...listOf('a', 'b'), broken]))).to.include({
      message: 'down',
    });
    expect((await open(listOf('c'))).bodies).to.have.length(1);
  });
});
