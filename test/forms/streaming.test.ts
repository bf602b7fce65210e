import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { addDays } from '../../src/domain/day.ts';
import type { Artist } from '../../src/domain/model.ts';
import type { HistorySource } from '../../src/ports.ts';
import { buildPoint, buildSeries } from '../support/builders.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';

const listLength = 100;
const path = `/api/v1/artists?include=history&limit=${listLength}`;
const headers = { Authorization: `Bearer ${keys.current.full.text}` };

/** So long that 100 of them exceed the socket buffers between a gateway and its client. */
const longSeries = buildSeries({
  metric: 'monthly_listeners',
  points: Array.from({ length: 6_000 }, (_, index) => buildPoint(addDays('2010-01-01', index), index)),
});

const listWithHistory = z.object({
  data: z.array(z.object({ id: z.string(), history: z.object({ monthly_listeners: z.array(z.unknown()) }) })),
  meta: z.object({ count: z.int() }),
});

/** Creates histories that fail after `failsAt` reads and record the ids they read. */
const createHistories = (failsAt = Number.POSITIVE_INFINITY) => {
  const readIds: string[] = [];
  const histories: HistorySource = {
    async read({ id }: Artist) {
      readIds.push(id);
      if (readIds.length > failsAt) throw new Error('store is down');
      return { series: [longSeries] };
    },
  };
  return { histories, readIds };
};

describe('a streamed list with history', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const open = async (histories: HistorySource): Promise<void> => {
    gateway = await createTestGateway({
      keys: keySource,
      source: createTestSource({ artists: numberedArtists }),
      histories,
    });
  };

  const respond = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false }, resolve)
        .on('error', reject)
        .end();
    });

  const events = () => gateway.log.entries.map(({ event }) => event);

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await sleep(5);
  };

  it('reaches a slow client complete and in order, and is read no faster than the client reads', async () => {
    const { histories, readIds } = createHistories();
    await open(histories);
    const response = await respond();
    await sleep(200);
    expect(readIds.length).to.be.within(1, listLength - 1);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      if (chunks.length % 10 === 0) await sleep(1);
    }
    const { data, meta } = listWithHistory.parse(JSON.parse(Buffer.concat(chunks).toString()));
    expect(data.map(({ id }) => id)).to.deep.equal(numberedArtists.slice(0, listLength).map(({ id }) => id));
    expect(meta.count).to.equal(listLength);
    expect(data.at(-1)?.history.monthly_listeners).to.have.length(6_000);
    expect(readIds).to.have.length(listLength);
  });

  it('yields to the event loop between two artists', async () => {
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    const turns: number[] = [];
    await open({
      async read() {
        turns.push(turn);
        return { series: [] };
      },
    });
    await sendRaw(gateway.port, { path, headers });
    clearImmediate(next);
    expect(turns).to.have.length(listLength);
    expect(new Set(turns).size).to.equal(listLength);
  });

  it('resets the connection when a later artist cannot be read, so that no client takes it for complete', async () => {
    const { histories, readIds } = createHistories(3);
    await open(histories);
    const response = await respond();
    expect(response.statusCode).to.equal(200);
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    const failure = await new Promise((resolve) => response.on('error', resolve).on('end', resolve));
    expect(failure).to.be.instanceOf(Error).with.property('code', 'ECONNRESET');
    expect(response.complete).to.equal(false);
    expect(() => JSON.parse(Buffer.concat(chunks).toString())).to.throw(SyntaxError);
    expect(readIds).to.have.length(4);
    await until(() => events().includes('request'));
    expect(events()).to.include('response cut short');
  });

  it('stops reading when the client disconnects', async () => {
    const { histories, readIds } = createHistories();
    await open(histories);
    const response = await respond();
    response.on('error', () => {});
    response.destroy();
    await until(() => events().includes('request'));
    expect(events()).to.include('response cut short');
    expect(readIds.length).to.be.below(listLength);
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
  });
});
