import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import type { Artist } from '../../src/domain/model.ts';
import type { HistorySource } from '../../src/ports.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import { keys } from '../support/forms/form-keys.ts';
import { longSeries, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { until } from '../support/wait.ts';

const listLength = 100;
const path = `/api/v1/artists?include=history&limit=${listLength}`;
const headers = { Authorization: `Bearer ${keys.current.full.text}` };

const listWithHistory = z.object({
  data: z.array(
    z.object({ id: z.string(), history: z.object({ monthly_listeners: z.array(z.unknown()) }) }),
  ),
  meta: z.object({ count: z.int() }),
});

/** Creates histories that wait for a promise; it records the ids that are read. */
const createHistories = (released: Promise<unknown> = Promise.resolve()) => {
  const readIds: string[] = [];
  const histories: HistorySource = {
    async read({ id }: Artist) {
      readIds.push(id);
      await released;
      return { series: [longSeries], complete: true };
    },
  };
  return { histories, readIds };
};

describe('a list with history', () => {
  const usage: UsageEvent[] = [];
  const sockets: Socket[] = [];
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const open = async (histories: HistorySource): Promise<void> => {
    usage.length = 0;
    gateway = await createTestGateway({
      source: createTestSource({ artists: numberedArtists }),
      histories,
      usage: { count: (event) => void usage.push(event) },
    });
    gateway.httpServer.server.on('connection', (socket) => sockets.push(socket));
  };

  const start = () =>
    request({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false });

  const respond = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      start().on('response', resolve).on('error', reject).end();
    });

  const requestLines = () =>
    gateway.log.entries.filter(({ event }) => event === 'request').map(({ facts }) => facts);

  it('reaches a slow client complete and in order', async () => {
    const { histories, readIds } = createHistories();
    await open(histories);
    const chunks: Buffer[] = [];
    for await (const chunk of await respond()) {
      chunks.push(chunk);
      if (chunks.length % 10 === 0) await nextTurn();
    }
    const { data, meta } = listWithHistory.parse(JSON.parse(Buffer.concat(chunks).toString()));
    expect(data.map(({ id }) => id)).to.deep.equal(
      numberedArtists.slice(0, listLength).map(({ id }) => id),
    );
    expect(meta.count).to.equal(listLength);
    expect(data.at(-1)?.history.monthly_listeners).to.have.length(6_000);
    expect(readIds).to.have.length(listLength);
  });

  it('waits for its client, and keeps its unit if the client disconnects', async () => {
    await open(createHistories().histories);
    let whole = 0;
    for await (const chunk of await respond()) whole += chunk.length;
    const response = await respond();
    response.on('error', () => {});
    // A gateway that does not wait for its client sends a history in each turn.
    for (let turns = 0; turns < 3 * listLength; turns++) await nextTurn();
    response.destroy();
    await until('both requests are logged', () => requestLines().length === 2);
    const [, line] = requestLines();
    expect(line)
      .to.include({ status: 200 })
      .and.have.property('bytes')
      .that.is.within(1, whole / 2);
    expect(gateway.log.entries.map(({ event }) => event)).to.include('response cut short');
    expect(usage.map(({ quota }) => quota)).to.deep.equal(['granted', 'granted']);
  });

  it('reads one history per turn of the event loop', async () => {
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    const turns: number[] = [];
    await open({
      async read() {
        turns.push(turn);
        return { series: [], complete: true };
      },
    });
    await sendRaw(gateway.port, { path, headers });
    clearImmediate(next);
    expect(turns).to.have.length(listLength);
    expect(new Set(turns).size).to.equal(listLength);
  });

  it('stops reading if the client resets the connection', async () => {
    const releases = new EventEmitter();
    const { histories, readIds } = createHistories(once(releases, 'release'));
    await open(histories);
    const client = start();
    client.on('error', () => {});
    client.end();
    await until('the first history is read', () => readIds.length > 0);
    client.socket?.resetAndDestroy();
    await until('the gateway sees the reset', () => sockets.at(-1)?.destroyed === true);
    releases.emit('release');
    await until('the request is logged', () => requestLines().length === 1);
    expect(readIds).to.have.length(1);
    expect(gateway.log.entries.map(({ event }) => event)).to.include('response cut short');
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
  });
});
