import { expect } from 'chai';
import type { KeySource } from '../../src/ports.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText, type Wire } from '../support/wire.ts';

const path = '/api/v1/signings';

/** Keys with 10 requests a minute or an hour. */
const limited = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant', perHour: 10 }),
};
const limitedKeys = keySourceOf(Object.values(limited), {
  perMinute: undefined,
  perDay: undefined,
});

describe('a connection', () => {
  let gateway: TestGateway;
  let wire: Wire;
  const open = async (source: KeySource = keySource, settings = {}): Promise<void> => {
    gateway = await createTestGateway({ keys: source, settings });
    wire = openWire(gateway.port);
  };
  afterEach(async () => {
    wire.end();
    await gateway.close();
  });

  for (const form of ['current', 'variant'] as const) {
    it(`answers 17 pipelined requests in order and grants 10 (${form} form)`, async () => {
      await open(limitedKeys);
      wire.send(requestText(path, limited[form].text).repeat(17));
      for (let index = 0; index < 17; index++) {
        const reply = await wire.receive();
        assertValidResponse(reply, path);
        expect(reply.status).to.equal(index < 10 ? 200 : 429);
        expect(reply.headers['x-ratelimit-remaining']).to.equal(String(Math.max(9 - index, 0)));
      }
    });
  }

  for (const [what, status, field] of [
    ['the answer to a GET with a body', 200, 'Content-Length: 5\r\n\r\nhello'],
    ['the rejection of 101 headers', 431, `${'X: y\r\n'.repeat(100)}\r\n`],
  ] as const) {
    it(`closes after ${what}, and does not count the requests behind it`, async () => {
      await open(limitedKeys);
      const last = requestText(path, limited.current.text).replace('\r\n\r\n', `\r\n${field}`);
      wire.send(`${last}${requestText(path, limited.current.text).repeat(5)}`);
      const reply = await wire.receive();
      expect([reply.status, reply.headers['connection']]).to.deep.equal([status, 'close']);
      await wire.closed();
      wire = openWire(gateway.port);
      wire.send(requestText(path, limited.current.text));
      expect((await wire.receive()).headers['x-ratelimit-remaining']).to.equal(
        status === 200 ? '8' : '9',
      );
    });
  }

  it('closes immediately if a CONNECT follows an unanswered request', async () => {
    await open();
    const list = requestText('/api/v1/artists?include=history', keys.current.full.text);
    wire.send(`${list}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await wire.closed();
    wire = openWire(gateway.port);
    wire.send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await wire.receive()).status).to.equal(405);
    await wire.closed();
  });

  it('answers the requests before a malformed one in order, then 400, and closes', async () => {
    await open();
    wire.send(
      `${requestText('/api/v1/health')}${requestText(path, keys.variant.full.text)}nonsense\r\n\r\n${requestText('/api/v1/health')}`,
    );
    expect((await wire.receive()).text).to.include('"status":"ok"');
    expect((await wire.receive()).headers['x-envelope-served']).to.equal('variant');
    const refused = await wire.receive();
    assertValidResponse(refused, undefined);
    expect([refused.status, refused.headers['x-envelope-served']]).to.deep.equal([400, 'current']);
    await wire.closed();
  });

  it('charges at most the sent requests if the client resets the connection', async () => {
    await open(limitedKeys);
    wire.send(requestText(path, limited.current.text).repeat(5));
    await wire.receive();
    wire.socket.resetAndDestroy();
    wire = openWire(gateway.port);
    wire.send(requestText(path, limited.current.text));
    const { headers } = await wire.receive();
    expect(Number(headers['x-ratelimit-remaining'])).to.be.within(4, 8);
  });

  for (const [what, status, target, key, method, header] of [
    ['an error', 405, path, keys.variant.full.text, 'POST', ''],
    ['a list', 200, path, keys.variant.full.text, 'GET', ''],
    ['a streamed list', 200, '/api/v1/artists?include=history', keys.current.full.text, 'GET', ''],
    ['a 304', 304, path, keys.current.full.text, 'GET', 'If-None-Match: *\r\n'],
  ] as const) {
    it(`answers a request with a body of 5 MB with ${what}, without a reset`, async () => {
      await open();
      for (let times = 0; times < 2; times++) {
        wire.end();
        wire = openWire(gateway.port);
        wire.send(
          `${method} ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${header}`,
        );
        wire.socket.pause(); // what has arrived is lost with a reset
        wire.send('Content-Length: 5000000\r\n\r\n');
        wire.send(Buffer.alloc(5_000_000, 'x'));
        const { socket } = wire;
        await until('it is sent', () => socket.writableLength === 0 || socket.destroyed);
        wire.socket.resume();
        const reply = await wire.receive();
        assertValidResponse(reply, target);
        expect([reply.status, reply.headers['connection']]).to.deep.equal([status, 'close']);
        await wire.closed();
      }
    });
  }

  it('closes after the next answer, with `Connection: close`, once the gateway drains', async () => {
    await open();
    wire.send(requestText(path, keys.variant.full.text));
    expect((await wire.receive()).headers['connection']).to.equal('keep-alive');
    gateway.httpServer.beginDrain();
    wire.send(requestText(path, keys.variant.full.text));
    const reply = await wire.receive();
    assertValidResponse(reply, path);
    expect([reply.status, reply.headers['connection']]).to.deep.equal([200, 'close']);
    await wire.closed();
    wire = openWire(gateway.port);
    wire.send(requestText('/api/v1/health'));
    expect((await wire.receive()).headers['connection']).to.equal('close');
  });

  for (const [settings, seconds] of [
    [{}, 65],
    [{ KEEP_ALIVE_SECONDS: '620' }, 620],
  ] as const)
    it(`sends \`Keep-Alive: timeout=${seconds}, max=1000\` with ${JSON.stringify(settings)}`, async () => {
      await open(keySource, settings);
      wire.send(requestText('/api/v1/health'));
      expect((await wire.receive()).headers['keep-alive']).to.equal(`timeout=${seconds}, max=1000`);
    });

  it('is closed when no request follows within `KEEP_ALIVE_SECONDS`', async () => {
    await open(keySource, { KEEP_ALIVE_SECONDS: '0.01' });
    wire.send(requestText('/api/v1/health'));
    await wire.receive();
    await wire.closed();
  });
});

describe('pipelined requests', () => {
  const gateway = useGateway(createTestGateway, true);
  const health = requestText('/api/v1/health');
  const answered = (): number =>
    gateway.log.entries.filter(({ event }) => event === 'request').length;
  const warnings = () => gateway.log.entries.filter(({ level }) => level === 'warn');

  it('close their connection above 17, and are not parsed after that', async () => {
    let parsed = 0;
    gateway.httpServer.server.on('request', () => {
      parsed += 1;
    });
    const wires = Array.from({ length: 20 }, () => openWire(gateway.port));
    for (const wire of wires) wire.send('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_400));
    await Promise.all(wires.map((wire) => wire.closed()));
    expect(parsed).to.equal(20 * 18);
    expect(answered()).to.equal(0);
    expect(warnings().map(({ facts }) => facts)).to.deep.equal([{ closed: 1, limit: 16 }]);
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
  });

  it('do not delay the requests of other connections', async () => {
    const crowd = Array.from({ length: 50 }, () => openWire(gateway.port));
    const other = openWire(gateway.port);
    for (const wire of [...crowd, other]) {
      wire.send(health);
      await wire.receive();
    }
    const before = answered();
    for (const wire of crowd) wire.send(health.repeat(17));
    other.send(health);
    await other.receive();
    expect(answered() - before).to.be.below((50 * 17) / 2);
    for (const wire of crowd)
      for (let index = 0; index < 17; index++) expect((await wire.receive()).status).to.equal(200);
    for (const wire of [...crowd, other]) wire.end();
    expect(warnings()).to.deep.equal([]);
  });
});
