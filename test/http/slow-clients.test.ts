import { expect } from 'chai';
import { keys } from '../support/forms/form-keys.ts';
import { longSeries, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { createTestSource } from '../support/source.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText, type Wire } from '../support/wire.ts';

/** The server's timeouts are shortened. */
describe('slow clients', () => {
  let wire: Wire;
  afterEach(() => wire.end()); // before the hook of `useGateway`, which waits for open connections
  const source = createTestSource({ artists: numberedArtists });
  const histories = { read: async () => ({ series: [longSeries], complete: true }) };
  const gateway = useGateway(() => createTestGateway({ source, histories }), true);
  beforeEach(() => {
    const { server } = gateway.httpServer;
    expect([server.headersTimeout, server.requestTimeout, server.timeout]).to.deep.equal([
      10_000, 15_000, 30_000,
    ]);
    Object.assign(server, { headersTimeout: 200, requestTimeout: 200, timeout: 2_000 });
    wire = openWire(gateway.port);
  });

  for (const [name, bytes] of [
    ['that send nothing', ''],
    ['that stop within the request line', 'GET /api/v1/hea'],
    ['that stop within the headers', 'GET /api/v1/health HTTP/1.1\r\nHost: a\r\nX-'],
  ] as const) {
    it(`${name} get 408, and the gateway closes the connection`, async () => {
      wire.send(bytes);
      const reply = await wire.receive();
      assertValidResponse(reply, undefined);
      expect([reply.status, reply.headers['connection']]).to.deep.equal([408, 'close']);
      await wire.closed();
      expect(gateway.log.entries.map(({ facts }) => facts)).to.have.nested.property(
        '[0].status',
        408,
      );
    });
  }

  it('that withhold the announced body get the response immediately, then the end', async () => {
    Object.assign(gateway.httpServer.server, { requestTimeout: 15_000 });
    wire.send('POST /api/v1/health HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
    expect((await wire.receive()).status).to.equal(405);
    wire.send('x');
    await wire.closed();
  });

  it('that do not read are disconnected, with a log line and a metric', async () => {
    wire.socket.pause();
    wire.send(requestText('/api/v1/artists?include=history&limit=100', keys.current.full.text));
    const requestLine = () => gateway.log.entries.find(({ event }) => event === 'request');
    await until('the gateway disconnects it', () => requestLine() !== undefined);
    expect(gateway.log.entries.map(({ event }) => event)).to.include('response cut short');
    expect(await gateway.metrics.read()).to.match(
      /gateway_responses_cut_short_total\{form="current"\} 1/,
    );
    wire.socket.resume();
    await until('the client notices', () => wire.socket.readableEnded || wire.socket.destroyed);
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
  });
});
