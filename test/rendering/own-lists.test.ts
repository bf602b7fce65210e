import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ownList } from '../../adapters/forms/envelope.ts';
import { createBodyCache } from '../../adapters/rendering/body-cache.ts';
import { type Body, gzipBody, identityBody } from '../../adapters/rendering/content-encoding.ts';
import { renderEnvelope } from '../../adapters/rendering/render-envelope.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { until } from '../support/wait.ts';

interface Item {
  readonly name: string;
}

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ name: `ä${index}` }));
const openCache = (maxBytes = 1_000_000) =>
  createBodyCache({
    maxBytes,
    incompleteMs: 15_000,
    clock: createManualClock(),
    log: createMemoryLog(),
  });
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

const bytesOf = (body: Body): Buffer => {
  if (!('chunks' in body)) throw new Error('the body is streamed');
  return Buffer.concat(body.chunks);
};

describe('body cache: lists of their own items', () => {
  for (const count of [0, 1, 500, 1201, 20_000]) {
    it(`are the JSON of their ${count} items, with its length, plain and once it is deflated as gzip`, async () => {
      const { presented, present } = createPresenter();
      const bodies = openCache();
      const member = ownList(items(count), present);
      const text = () => renderEnvelope({ data: member, after: count }, bodies, reader);
      const expected = JSON.stringify({ data: items(count), after: count });
      expect(String(bytesOf(identityBody(await text()))) === expected).to.equal(true);
      if (count >= 500) {
        let compressed = gzipBody(await text());
        expect(compressed).to.equal(undefined); // no client waits for it
        await until('it is deflated', async () => {
          compressed = gzipBody(await text());
          return compressed !== undefined;
        });
        if (compressed !== undefined)
          expect(String(gunzipSync(bytesOf(compressed))) === expected).to.equal(true);
      }
      expect(presented).to.have.length(count);
    });
  }

  it('are rendered once for requests at the same time, and in steps', async () => {
    const { presented, present } = createPresenter();
    const bodies = openCache();
    const member = ownList(items(20_000), present);
    const rendering = [bodies.ownList(member), bodies.ownList(member)];
    expect(presented.length).to.be.below(20_000);
    const [first, second] = await Promise.all(rendering);
    expect(presented).to.have.length(20_000);
    expect(second?.chunks()[0]).to.equal(first?.chunks()[0]);
  });

  it('are rendered again when they were dropped', async () => {
    const { presented, present } = createPresenter();
    const bodies = openCache(1);
    const member = ownList(items(3), present);
    const texts = [await bodies.ownList(member), await bodies.ownList(member)].map((body) =>
      String(body.chunks()[0]),
    );
    expect(texts[1]).to.equal(texts[0]);
    expect(presented).to.have.length(6);
  });
});
