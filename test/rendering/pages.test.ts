import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ownList } from '../../adapters/forms/envelope.ts';
import { createBodyCache } from '../../adapters/rendering/body-cache.ts';
import type { CachedBody, PageBody } from '../../adapters/rendering/cached-bodies.ts';
import { type Body, gzipBody, identityBody } from '../../adapters/rendering/content-encoding.ts';
import { renderEnvelope } from '../../adapters/rendering/render-envelope.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';

interface Item {
  readonly name: string;
}

const items = (count: number): Item[] => Array.from({ length: count }, (_, index) => ({ name: `ä${index}` }));
const openCache = (maxBytes = 1_000_000) =>
  createBodyCache({ maxBytes, clock: createManualClock(), log: createMemoryLog() });
const reader = { organizationId: 'org_one', isGone: () => false };

/** A presenter, and the names of the items that it was given. */
const createPresenter = () => {
  const presented: string[] = [];
  const present = (item: Item): Item => {
    presented.push(item.name);
    return item;
  };
  return { presented, present };
};

const bytesOf = async (body: Body | undefined): Promise<Buffer> => {
  if (body === undefined) throw new Error('the body is not compressed');
  if ('chunks' in body) return Buffer.concat(body.chunks);
  const chunks: Buffer[] = [];
  for await (const chunk of body.stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const loadPage = (page: CachedBody | PageBody | undefined): Promise<CachedBody> => {
  if (page === undefined || !('load' in page)) throw new Error('the list has no such page');
  return page.load();
};

const textOf = (body: CachedBody): string => Buffer.concat(body.chunks()).toString();

describe('body cache: lists of their own items', () => {
  const same = (item: Item) => item;

  for (const count of [0, 1, 500, 501, 1000, 1201]) {
    it(`are the JSON of their ${count} items${count > 500 ? ', also as gzip' : ''}`, async () => {
      const bodies = openCache();
      const member = ownList(items(count), same);
      const text = () => renderEnvelope({ data: member, after: count }, bodies, reader);
      const expected = JSON.stringify({ data: items(count), after: count });
      expect((await bytesOf(identityBody(await text()))).toString()).to.equal(expected);
      if (count <= 500) return;
      expect(gunzipSync(await bytesOf(gzipBody(await text()))).toString()).to.equal(expected);
    });
  }

  it('render no page before it is sent, and each once for requests at the same time', async () => {
    const { presented, present } = createPresenter();
    const bodies = openCache();
    const given = items(1001);
    const member = ownList(given, present);
    const [, second, ...more] = bodies.pages(member);
    expect([presented.length, more.length]).to.deep.equal([0, 1]);
    const [one, other] = await Promise.all([loadPage(second), loadPage(bodies.pages(member)[1])]);
    const expected = given.slice(500, 1000);
    expect(presented).to.deep.equal(expected.map(({ name }) => name));
    expect([textOf(one), textOf(other)].map((text) => JSON.parse(`[${text}]`))).to.deep.equal([expected, expected]);
    await loadPage(second);
    expect(presented).to.have.length(500);
  });

  it('are inflated for each of 16 sends, and kept from the next on', async () => {
    const [page] = openCache().pages(ownList(items(501), same));
    const body = await loadPage(page);
    const sent = Array.from({ length: 18 }, () => body.chunks()[0]);
    expect(sent.map(String)).to.deep.equal(sent.map(() => JSON.stringify(items(500)).slice(1, -1)));
    expect(new Set(sent).size).to.equal(17);
  });

  for (const [count, isWhole] of [
    [1201, true],
    [100_000, false],
  ] as const) {
    it(`are sent ${isWhole ? 'at once' : 'page by page'} when all pages of ${count} items are cached`, async () => {
      const bodies = openCache(10_000_000);
      const text = () => renderEnvelope({ data: ownList(given, same) }, bodies, reader);
      const given = items(count);
      expect(identityBody(await text())).to.have.property('stream');
      const first = await bytesOf(identityBody(await text()));
      for (const encode of [identityBody, gzipBody]) {
        const body = encode(await text());
        expect(body).to.have.property(isWhole ? 'chunks' : 'stream');
        const bytes = await bytesOf(body);
        expect((encode === gzipBody ? gunzipSync(bytes) : bytes).equals(first)).to.equal(true);
      }
    });
  }

  it('render a page again that was dropped', async () => {
    const { presented, present } = createPresenter();
    const [page] = openCache(1).pages(ownList(items(501), present));
    const texts = [textOf(await loadPage(page)), textOf(await loadPage(page))];
    expect(texts[1]).to.equal(texts[0]);
    expect(presented).to.have.length(1000);
  });

  it('render two pages at the same time, and the next when one of them is deflated', async () => {
    const { presented, present } = createPresenter();
    const pages = openCache().pages(ownList(items(2000), present));
    const loading = pages.map(loadPage);
    expect(presented).to.have.length(1000);
    await Promise.race(loading);
    await nextTurn();
    expect(presented).to.have.length.within(1500, 2000);
    expect(await Promise.all(loading)).to.have.length(4);
  });

  it('let one request after another go on with a page that several waited for', async () => {
    const [page] = openCache().pages(ownList(items(501), same));
    let turn = 0;
    let counting = setImmediate(function count() {
      turn += 1;
      counting = setImmediate(count);
    });
    const turns = await Promise.all(Array.from({ length: 20 }, () => loadPage(page).then(() => turn)));
    clearImmediate(counting);
    expect(new Set(turns)).to.have.lengthOf(20);
  });
});
