import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { killWithTests } from '../support/child-process.ts';
import { createManualClock } from '../support/clock.ts';
import { longSeries, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, fullKeys, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText, type Wire } from '../support/wire.ts';

const current = fullKeys.current.text;

describe('a client that closes its side of the connection', () => {
  const gateway = useGateway();

  const halfClosed = (bytes: string): Wire => {
    const wire = openWire(gateway.port);
    wire.socket.end(bytes);
    return wire;
  };

  for (const path of ['/api/v1/artists', '/api/v1/artists?include=history', '/api/v1/nothing']) {
    it(`after a request for ${path} gets the whole response, and then the end`, async () => {
      const wire = halfClosed(requestText(path, current));
      const reply = await wire.receive();
      expect(reply.status).to.equal(path === '/api/v1/nothing' ? 404 : 200);
      expect(JSON.parse(reply.text)).to.be.an('object');
      await wire.closed();
    });
  }

  it('after several requests gets every response in order', async () => {
    const paths = ['/api/v1/artists?limit=1', '/api/v1/spikes', '/api/v1/signings'];
    const wire = halfClosed(paths.map((path) => requestText(path, current)).join(''));
    for (const path of paths) {
      const alone = await gateway.send(path, current);
      expect(JSON.parse((await wire.receive()).text).data, path).to.deep.equal(
        JSON.parse(alone.text).data,
      );
    }
    await wire.closed();
  });

  it('in the middle of a request gets a 400', async () => {
    const wire = halfClosed('GET /api/v1/artists HTTP/1.1\r\nHo');
    expect((await wire.receive()).status).to.equal(400);
    await wire.closed();
  });

  it('without a request gets nothing but the end', async () => {
    await halfClosed('').closed();
  });
});

/** Node's own client takes a reset behind unread bytes for an orderly end. */
const readToTheEnd = `
import errno, socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
client.sendall(sys.argv[2].encode())
try:
    client.recv(1)
    print("begun", flush=True)
    while client.recv(65536):
        pass
    print("end")
except OSError as error:
    print(errno.errorcode[error.errno])
`;

describe('a client that disconnects before its answer is made', () => {
  let reads = 0;
  let charge = (): void => {};
  const quotas = createEmbeddedQuotas(createManualClock());
  const gateway = useGateway(async () => {
    const charged = new Promise<void>((resolve) => {
      charge = resolve;
    });
    return createTestGateway({
      source: createTestSource({ artists: numberedArtists }),
      histories: {
        async read() {
          reads += 1;
          return { series: [], complete: true };
        },
      },
      quotas: {
        ...quotas,
        consume: (...given) => charged.then(() => quotas.consume(...given)),
      },
    });
  });

  it('has no history read for it', async () => {
    const responses: ServerResponse[] = [];
    gateway.httpServer.server.on('request', (_, response) => responses.push(response));
    const wires = ['/art_000', '?include=history'].map((rest) => {
      const wire = openWire(gateway.port);
      wire.send(requestText(`/api/v1/artists${rest}`, current));
      return wire;
    });
    await until('both have arrived', () => responses.length === 2);
    for (const wire of wires) wire.socket.resetAndDestroy();
    await until('the gateway notices', () => responses.every(({ destroyed }) => destroyed));
    charge();
    const ended = () => gateway.log.entries.filter(({ event }) => event === 'request');
    await until('both requests have ended', () => ended().length === 2);
    expect(reads).to.equal(0);
    expect((await gateway.send('/api/v1/artists/art_000', current)).status).to.equal(200);
    expect(reads).to.equal(1);
  });
});

describe('an HTTP/1.0 client whose response is cut short', () => {
  const gateway = useGateway(
    async () =>
      createTestGateway({
        demoFaults: new Map([[fullKeys.variant.record.id, 'cut']]),
        source: createTestSource({ artists: numberedArtists }),
        histories: { read: async () => ({ series: [longSeries], complete: true }) },
      }),
    true,
  );

  /** Asks in HTTP/1.0, and returns the events by which the connection ends. */
  const open = (path: string, key: string) => {
    const wire = openWire(gateway.port);
    const ends: string[] = [];
    wire.socket.on('error', (error: NodeJS.ErrnoException) => ends.push(String(error.code)));
    wire.socket.on('end', () => ends.push('end'));
    wire.send(requestText(path, key).replace('HTTP/1.1', 'HTTP/1.0'));
    return ends;
  };

  it('meets a reset, not the end that completes a response without a length', async () => {
    const ends = open('/api/v1/artists', fullKeys.variant.text);
    await until('the connection has ended', () => ends.length > 0);
    expect(ends).to.deep.equal(['ECONNRESET']);
  });

  it('meets a reset when the gateway is stopped in the middle of it', async () => {
    const request = requestText('/api/v1/artists?include=history&limit=100', current).replace(
      'HTTP/1.1',
      'HTTP/1.0',
    );
    const client = spawn('python3', ['-c', readToTheEnd, String(gateway.port), request]);
    killWithTests(client);
    const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).to.equal('begun');
    gateway.httpServer.closeConnections();
    expect((await lines.next()).value).to.equal('ECONNRESET');
  });
});

describe('connections over the limit', () => {
  const gateway = useGateway();
  before(() => Object.assign(gateway.httpServer.server, { maxConnections: 2 }));

  const dropped = async (): Promise<number> => {
    const [, value] =
      /^gateway_connections_dropped_total (\d+)$/m.exec(await gateway.metrics.read()) ?? [];
    return Number(value);
  };

  it('are counted each, and logged once in 10 seconds with their number', async () => {
    const kept = [openWire(gateway.port), openWire(gateway.port)];
    for (const wire of kept) {
      wire.send(requestText('/api/v1/health'));
      await wire.receive();
    }
    const lines = () =>
      gateway.log.entries.filter(
        ({ event }) => event === 'too many connections, new connections closed',
      );
    const drop = async (times: number): Promise<void> => {
      const before = await dropped();
      const wires = Array.from({ length: times }, () => openWire(gateway.port));
      await until(
        `${times} connections are dropped`,
        async () => (await dropped()) === before + times,
      );
      for (const wire of wires) wire.end();
    };
    await drop(5);
    expect(lines().map(({ facts }) => facts)).to.deep.equal([{ closed: 1, limit: 2000 }]);
    gateway.clock.advance(10_000);
    await drop(1);
    expect(lines().map(({ facts }) => facts)).to.deep.equal([
      { closed: 1, limit: 2000 },
      { closed: 5, limit: 2000 },
    ]);
    for (const wire of kept) wire.end();
  });
});
