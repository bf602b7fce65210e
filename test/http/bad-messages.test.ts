import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { deadKeys } from '../support/forms/problem-cases.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { badMessages } from '../support/http/bad-messages.ts';
import { smuggledRequests } from '../support/http/smuggled-requests.ts';
import { openWire, type WireReply } from '../support/wire.ts';

describe('bad messages', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(() => gateway.close());

  for (const row of badMessages) {
    for (const { name: form } of forms) {
      const status = typeof row.status === 'number' ? row.status : row.status[form];
      const end = row.closes ? ' and closes the connection' : '';
      it(`${row.number}: answers ${row.what} with ${status}${end}, for a key of the ${form} form`, async () => {
        const key = keys[form][row.as ?? 'full'].text;
        const bytes = row.bytes(key);
        const wire = openWire(gateway.port);
        wire.send(bytes);
        if (row.endsInput) wire.socket.end();
        const isHead = row.isHead === true;
        const reply = await wire.receive({ bodiless: isHead });
        assertValidResponse(reply, bytes.toString().trimStart().split(' ', 2)[1] ?? '', isHead);
        expect(reply.status).to.equal(status);
        expect(reply.headers['x-envelope-served']).to.equal(row.isFormless ? 'current' : form);
        expect(reply.headers['connection']).to.equal(row.closes ? 'close' : 'keep-alive');
        if (row.closes) await wire.closed();
        else {
          wire.send('GET /api/v1/health HTTP/1.1\r\nHost: a\r\n\r\n');
          expect((await wire.receive()).status).to.equal(200);
        }
        wire.end();
      });
    }
  }

  it('leave only request lines in the log, without keys', () => {
    const logged = JSON.stringify(gateway.log.entries);
    expect(logged).not.to.match(/aik_|Bearer|evil/);
    expect(gateway.log.entries.every(({ event }) => event === 'request')).to.equal(true);
  });
});

describe('a request smuggled behind', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(() => gateway.close());

  for (const { name: form } of forms) {
    const hidden = `GET /api/v1/signings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys[form].full.text}\r\n\r\n`;
    for (const { what, bytes, status } of smuggledRequests) {
      it(`96: ${what} is not answered, with a key of the ${form} form`, async () => {
        const wire = openWire(gateway.port);
        wire.send(`${bytes}${hidden}`);
        const reply = await wire.receive();
        assertValidResponse(reply, undefined);
        expect([reply.status, reply.headers['connection']]).to.deep.equal([status, 'close']);
        await wire.closed();
      });
    }
  }

  it('is not logged', () => {
    expect(gateway.log.entries).to.have.length(forms.length * smuggledRequests.length);
  });
});

describe('87: a key while keys are missing or stale', () => {
  const ask = async (gateway: TestGateway, key: string): Promise<WireReply> => {
    const wire = openWire(gateway.port);
    wire.send(`GET /api/v1/signings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const reply = await wire.receive();
    assertValidResponse(reply, '/api/v1/signings');
    wire.end();
    await gateway.close();
    return reply;
  };

  for (const { name: form } of forms) {
    const key = keys[form].full.text;
    const { status } = formExpectations[form].errors.unavailable;

    it(`of the ${form} form gets 503 in the current form before keys were loaded`, async () => {
      const reply = await ask(await createTestGateway({ keys: deadKeys }), key);
      expect([reply.status, reply.headers['x-envelope-served']]).to.deep.equal([503, 'current']);
    });

    it(`of the ${form} form gets ${status} in its form when the keys are too old`, async () => {
      const gateway = await createTestGateway({ keys: keySource });
      gateway.clock.advance(300_001);
      const reply = await ask(gateway, key);
      expect([reply.status, reply.headers['x-envelope-served']]).to.deep.equal([status, form]);
    });
  }
});
