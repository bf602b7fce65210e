import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeySource } from '../../src/ports.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { until } from '../support/wait.ts';
import { openWire, type Wire } from '../support/wire.ts';

const path = '/api/v1/signings';

const get = (target: string, key?: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

/** Ten a minute and a hundred an hour, as the specification has it. */
const usual = { current: buildKey({ form: 'current' }), variant: buildKey({ form: 'variant', perHour: undefined }) };
const usualKeys: KeySource = {
  load: async () => ({
    keys: [usual.current.record, usual.variant.record],
    organizations: [buildOrganization({ perMinute: undefined, perDay: undefined })],
  }),
};

describe('a connection', () => {
  let gateway: TestGateway;
  let wire: Wire;
  const open = async (source: KeySource = keySource): Promise<void> => {
    gateway = await createTestGateway({ keys: source });
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
    it(`with 1,000 requests at once is answered in order, and ${granted} are granted in the ${form} form`, async () => {
      await open(usualKeys);
      wire.send(get(path, usual[form].text).repeat(1_000));
      const remaining: string[] = [];
      for (let place = 0; place < 1_000; place++) {
        const reply = await wire.receive();
        assertValidResponse(reply, path);
        expect(reply.status).to.equal(place < granted ? 200 : 429);
        remaining.push(reply.headers['x-ratelimit-remaining'] ?? '');
      }
      expect(remaining.slice(0, granted)).to.deep.equal(
        Array.from({ length: granted }, (_, place) => String(granted - place - 1)),
      );
      await wire.closed();
    });
  }

  it('on which something comes behind its last answer closes, and what came is not counted', async () => {
    await open(usualKeys);
    const last = get(path, usual.current.text).replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\nhello');
    wire.send(`${last}${get(path, usual.current.text).repeat(5)}`);
    const reply = await wire.receive();
    expect([reply.status, reply.headers['connection']]).to.deep.equal([200, 'close']);
    await wire.closed();
    wire = openWire(gateway.port);
    wire.send(get(path, usual.current.text));
    expect((await wire.receive()).headers['x-ratelimit-remaining']).to.equal('8');
  });

  it('answers what came before what it cannot read, in order, and then closes', async () => {
    await open();
    wire.send(`${get('/api/v1/health')}${get(path, keys.variant.full.text)}nonsense\r\n\r\n${get('/api/v1/health')}`);
    expect((await wire.receive()).text).to.include('"status":"ok"');
    expect((await wire.receive()).headers['x-envelope-served']).to.equal('variant');
    const refused = await wire.receive();
    assertValidResponse(refused, undefined);
    expect([refused.status, refused.headers['x-envelope-served']]).to.deep.equal([400, 'current']);
    await wire.closed();
  });

  it('whose client is gone spends nothing more', async () => {
    await open(usualKeys);
    wire.send(get(path, usual.current.text).repeat(5));
    await wire.receive();
    wire.socket.resetAndDestroy();
    await wait(50);
    wire = openWire(gateway.port);
    wire.send(get(path, usual.current.text));
    const { headers } = await wire.receive();
    expect(Number(headers['x-ratelimit-remaining'])).to.be.within(4, 8);
  });

  for (const { name: form } of forms) {
    it(`on which a large body is sent gets its answer and is not reset, in the ${form} form`, async () => {
      await open();
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys[form].full.text}\r\n`;
      wire.send(`${head}Content-Length: 5000000\r\n\r\n`);
      wire.send(Buffer.alloc(5_000_000, 'x'));
      const reply = await wire.receive();
      assertValidResponse(reply, path);
      expect([reply.status, reply.headers['connection']]).to.deep.equal([405, 'close']);
      await wire.closed();
    });
  }

  it('is closed after each reply once the gateway drains, and the client is told', async () => {
    await open();
    wire.send(get(path, keys.variant.full.text));
    expect((await wire.receive()).headers['connection']).to.equal('keep-alive');
    gateway.httpServer.beginDrain();
    wire.send(get(path, keys.variant.full.text));
    const reply = await wire.receive();
    assertValidResponse(reply, path);
    expect([reply.status, reply.headers['connection']]).to.deep.equal([200, 'close']);
    await wire.closed();
    wire = openWire(gateway.port);
    wire.send(get('/api/v1/health'));
    expect((await wire.receive()).headers['connection']).to.equal('close');
  });

  it('is kept for longer than a load balancer keeps it, and no longer than for 1,000 requests', async () => {
    await open();
    wire.send(get('/api/v1/health'));
    expect((await wire.receive()).headers['keep-alive']).to.equal('timeout=65, max=1000');
  });
});

describe('requests that are sent ahead', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  afterEach(() => gateway.close());

  const ahead = 1_000;
  const sendAhead = (connections: number): Wire[] =>
    Array.from({ length: connections }, () => {
      const wire = openWire(gateway.port);
      wire.send(get('/api/v1/health').repeat(ahead));
      return wire;
    });
  const answered = (): number => gateway.log.entries.filter(({ event }) => event === 'request').length;
  const cut = (): number => gateway.log.entries.filter(({ event }) => event.startsWith('connection cut')).length;
  /** Whether all of them were answered; `false` when the connection ended before. */
  const isServed = async (wire: Wire): Promise<boolean> => {
    for (let place = 0; place < ahead; place++) {
      const reply = await wire.receive({ withinMs: 20_000 }).catch(() => undefined);
      if (reply === undefined) return false;
    }
    await wire.closed();
    return true;
  };

  it('do not keep those of others waiting', async function () {
    this.timeout(30_000);
    const crowd = sendAhead(5);
    await until('they are being answered', () => answered() > 0);
    expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    expect(answered()).to.be.below((5 * ahead) / 2);
    expect(await Promise.all(crowd.map(isServed))).to.deep.equal([true, true, true, true, true]);
    expect(cut()).to.equal(0);
  });

  it('are not kept without bound: connections that bring more are cut, and others can again later', async function () {
    this.timeout(30_000);
    const served = await Promise.all(sendAhead(12).map(isServed));
    expect(cut()).to.be.within(1, 7);
    expect(served.filter((isWhole) => !isWhole)).to.have.length(cut());
    expect(await Promise.all(sendAhead(5).map(isServed))).to.deep.equal([true, true, true, true, true]);
  });
});
