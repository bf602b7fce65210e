import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { buildArtist, buildPoint, buildSeries } from '../support/builders.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText } from '../support/wire.ts';

const clients = 40;
const artist = buildArtist();
const series = buildSeries({
  points: Array.from({ length: 9_000 }, (_, index) =>
    buildPoint(addDays('2000-01-01', index), index),
  ),
});
const path = `/api/v1/artists/${artist.id}`;
const key = fullKeys.current.text;

describe('large replies', () => {
  it('are begun a few in a turn of the event loop, whoever asks at the same time', async () => {
    const gateway = await createTestGateway({
      source: createTestSource({ artists: [artist] }),
      histories: { read: async () => ({ series: [series], complete: true }) },
    });
    const length = (await gateway.send(path, key)).body.length;
    expect(length).to.be.above(256 * 1024);
    const responses: ServerResponse[] = [];
    gateway.httpServer.server.on('request', (_, response) => responses.push(response));
    const wires = Array.from({ length: clients }, () => openWire(gateway.port));
    for (const { socket } of wires) await new Promise((resolve) => socket.once('connect', resolve));
    const begun = [0];
    let next = setImmediate(function count() {
      begun.push(responses.filter(({ headersSent }) => headersSent).length);
      next = setImmediate(count);
    });
    for (const { socket } of wires) socket.write(requestText(path, key));
    await until('all replies are begun', () => begun.at(-1) === clients);
    clearImmediate(next);
    const perTurn = begun.slice(1).map((count, turn) => count - (begun[turn] ?? 0));
    expect(Math.max(...perTurn)).to.be.within(1, 8);
    for (const wire of wires) expect((await wire.receive()).text).to.have.length(length);
    for (const { socket } of wires) socket.destroy();
    await gateway.close();
  });
});
