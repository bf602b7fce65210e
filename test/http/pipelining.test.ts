import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { KeySource } from '../../src/ports.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { until } from '../support/wait.ts';
import { openWire, requestText, type Wire } from '../support/wire.ts';

const path = '/api/v1/signings';

/** Keys with the default quotas: 10 a minute and 100 an hour. */
const limited = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant', perHour: undefined }),
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

  for (const [form, granted] of [
    ['current', 10],
    ['variant', 100],
  ] as const) {
    it(`answers 1,000 pipelined requests in order and grants ${granted} of them in the ${form} form`, async () => {
      await open(limitedKeys);
      wire.send(requestText(path, limited[form].text).repeat(1_000));
      const remaining: string[] = [];
      for (let index = 0; index < 1_000; index++) {
        const reply = await wire.receive();
        assertValidResponse(reply, path);
        expect(reply.status).to.equal(index < granted ? 200 : 429);
        remaining.push(reply.headers['x-ratelimit-remaining'] ?? '');
      }
      expect(remaining.slice(0, granted)).to.deep.equal(
        Array.from({ length: granted }, (_, index) => String(granted - index - 1)),
      );
      await wire.closed();
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

  it('may be reset while a CONNECT waits behind other requests', async () => {
    await open();
    for (let times = 0; times < 20; times += 1) {
      const waiting = openWire(gateway.port);
      waiting.send(
        `${requestText('/api/v1/health').repeat(90)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      await waiting.receive();
      waiting.socket.resetAndDestroy();
    }
    wire.send(requestText('/api/v1/health'));
    expect((await wire.receive()).status).to.equal(200);
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

  it('charges no more than the requests that were sent when the client resets the connection', async () => {
    await open(limitedKeys);
    wire.send(requestText(path, limited.current.text).repeat(5));
    await wire.receive();
    wire.socket.resetAndDestroy();
    await wait(50);
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
      for (let times = 0; times < 5; times++) {
        wire.end();
        wire = openWire(gateway.port);
        wire.send(
          `${method} ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${header}`,
        );
        wire.socket.pause(); // what has arrived is lost with a reset
        wire.send('Content-Length: 5000000\r\n\r\n');
        wire.send(Buffer.alloc(5_000_000, 'x'));
        await wait(100);
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
    it(`announces an idle timeout of ${seconds} s and a maximum of 1,000 requests in \`Keep-Alive\` with ${JSON.stringify(settings)}`, async () => {
      await open(keySource, settings);
      wire.send(requestText('/api/v1/health'));
      expect((await wire.receive()).headers['keep-alive']).to.equal(`timeout=${seconds}, max=1000`);
    });

  it('is closed when no request follows within `KEEP_ALIVE_SECONDS`', async () => {
    await open(keySource, { KEEP_ALIVE_SECONDS: '1' });
    wire.send(requestText('/api/v1/health'));
    await wire.receive();
    await wire.closed();
  });
});

describe('pipelined requests', () => {
  const gateway = useGateway(createTestGateway, true);

  const perConnection = 1_000;
  const pipeline = (connections: number): Wire[] =>
    Array.from({ length: connections }, () => {
      const wire = openWire(gateway.port);
      wire.send(requestText('/api/v1/health').repeat(perConnection));
      return wire;
    });
  const answered = (): number =>
    gateway.log.entries.filter(({ event }) => event === 'request').length;
  const cut = (): number =>
    gateway.log.entries.filter(({ event }) => event.startsWith('too many pipelined requests'))
      .length;
  /** Whether all of them were answered; `false` when the connection ended before. */
  const isServed = async (wire: Wire): Promise<boolean> => {
    for (let index = 0; index < perConnection; index++) {
      const reply = await wire.receive().catch(() => undefined);
      if (reply === undefined) return false;
    }
    await wire.closed();
    return true;
  };

  it('do not delay the requests of other connections', async () => {
    const crowd = pipeline(5);
    await until('the first are answered', () => answered() > 0);
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    expect(answered()).to.be.below((5 * perConnection) / 2);
    expect(await Promise.all(crowd.map(isServed))).to.deep.equal([true, true, true, true, true]);
    expect(cut()).to.equal(0);
  });

  it('are answered in order where they are more than are read ahead', async () => {
    const wire = openWire(gateway.port);
    const padded = requestText('/api/v1/health').replace(
      '\r\n\r\n',
      `\r\nX-Padding: ${'x'.repeat(2_000)}\r\n\r\n`,
    );
    wire.send(padded.repeat(perConnection));
    expect(await isServed(wire)).to.equal(true);
    expect(cut()).to.equal(0);
  });

  it('are not read ahead for a client that reads no answer, whose connection stays open', async () => {
    const wire = openWire(gateway.port);
    wire.socket.pause();
    const target = `/openapi.json?${'x'.repeat(2_000)}`;
    wire.send(requestText(target).repeat(perConnection));
    for (let times = 0; times < 20; times++) wire.send(Buffer.alloc(1_000_000, 'x'));
    let unsent = wire.socket.writableLength;
    await until('the gateway reads no further', async () => {
      await wait(300);
      const before = unsent;
      unsent = wire.socket.writableLength;
      return unsent === before;
    });
    expect(unsent).to.be.above(0);
    expect(wire.socket.destroyed).to.equal(false);
    expect(cut()).to.equal(0);
    wire.end();
  });

  it('of 17 connections that read no answer leave those of a client with ten unharmed', async () => {
    const crowd = Array.from({ length: 17 }, () => {
      const wire = openWire(gateway.port);
      wire.socket.pause();
      wire.socket.on('error', () => {}); // those with the most are reset
      wire.send(requestText('/openapi.json').repeat(perConnection));
      return wire;
    });
    await until('their answers are not taken', async () => {
      const before = answered();
      await wait(300);
      return answered() === before;
    });
    for (let times = 0; times < 3; times++) {
      const wire = openWire(gateway.port);
      wire.send(requestText('/api/v1/health').repeat(10));
      for (let index = 0; index < 10; index++) expect((await wire.receive()).status).to.equal(200);
      wire.end();
    }
    for (const wire of crowd) wire.end();
  });

  it('close the connections with the most above 5,000 in total, and are served again below that', async () => {
    const crowd = pipeline(12);
    await until('the first is closed', () => cut() > 0);
    const others = await Promise.all(
      Array.from({ length: 20 }, () => gateway.send('/api/v1/health')),
    );
    expect(others.every(({ status }) => status === 200)).to.equal(true);
    const served = await Promise.all(crowd.map(isServed));
    expect(cut()).to.be.within(1, 7);
    expect(served.filter((isWhole) => !isWhole)).to.have.length(cut());
    expect(await Promise.all(pipeline(5).map(isServed))).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
    ]);
  });
});
