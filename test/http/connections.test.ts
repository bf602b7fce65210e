import { expect } from 'chai';
import { createTestGateway, fullKeys, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { openWire, type Wire } from '../support/wire.ts';

const ask = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: gateway.test\r\nAuthorization: Bearer ${fullKeys.current.text}\r\n\r\n`;

describe('a client that closes its side of the connection', () => {
  const gateway = useGateway();

  const halfClosed = (bytes: string): Wire => {
    const wire = openWire(gateway.port);
    wire.socket.end(bytes);
    return wire;
  };

  for (const path of ['/api/v1/artists', '/api/v1/artists?include=history', '/api/v1/nothing']) {
    it(`after a request for ${path} gets the whole response, and then the end`, async () => {
      const wire = halfClosed(ask(path));
      const reply = await wire.receive();
      expect(reply.status).to.equal(path === '/api/v1/nothing' ? 404 : 200);
      expect(JSON.parse(reply.text)).to.be.an('object');
      await wire.closed();
    });
  }

  it('after several requests gets every response in order', async () => {
    const paths = ['/api/v1/artists?limit=1', '/api/v1/spikes', '/api/v1/signings'];
    const wire = halfClosed(paths.map(ask).join(''));
    for (const path of paths) {
      const alone = await gateway.send(path, fullKeys.current.text);
      expect(JSON.parse((await wire.receive()).text).data, path).to.deep.equal(JSON.parse(alone.text).data);
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

describe('an HTTP/1.0 client whose response is cut short', () => {
  const gateway = useGateway(async () =>
    createTestGateway({ demoFaults: new Map([[fullKeys.current.record.id, 'cut']]) }),
  );

  it('meets a reset, not the end that completes a response without a length', async () => {
    const wire = openWire(gateway.port);
    const ends: string[] = [];
    wire.socket.on('error', (error: NodeJS.ErrnoException) => ends.push(String(error.code)));
    wire.socket.on('end', () => ends.push('end'));
    wire.send(ask('/api/v1/artists').replace('HTTP/1.1', 'HTTP/1.0'));
    await until('the connection is closed', () => wire.socket.destroyed);
    expect(ends).to.deep.equal(['ECONNRESET']);
  });
});

describe('connections over the limit', () => {
  const gateway = useGateway();
  before(() => Object.assign(gateway.httpServer.server, { maxConnections: 2 }));

  const dropped = async (): Promise<number> => {
    const [, value] = /^gateway_connections_dropped_total (\d+)$/m.exec(await gateway.metrics.read()) ?? [];
    return Number(value);
  };

  it('are counted each, and logged once in 10 seconds with their number', async () => {
    const kept = [openWire(gateway.port), openWire(gateway.port)];
    for (const wire of kept) {
      wire.send(ask('/api/v1/health'));
      await wire.receive();
    }
    const lines = () => gateway.log.entries.filter(({ event }) => event === 'too many connections, new ones closed');
    const drop = async (times: number): Promise<void> => {
      const before = await dropped();
      const wires = Array.from({ length: times }, () => openWire(gateway.port));
      await until(`${times} connections are dropped`, async () => (await dropped()) === before + times);
      for (const wire of wires) wire.end();
    };
    await drop(5);
    expect(lines().map(({ facts }) => facts)).to.deep.equal([{ dropped: 1, limit: 2 }]);
    gateway.clock.advance(10_000);
    await drop(1);
    expect(lines().map(({ facts }) => facts)).to.deep.equal([
      { dropped: 1, limit: 2 },
      { dropped: 5, limit: 2 },
    ]);
    for (const wire of kept) wire.end();
  });
});
