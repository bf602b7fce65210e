import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { badMessages } from '../support/http/bad-messages.ts';
import { smuggledRequests } from '../support/http/smuggled-requests.ts';
import { openWire } from '../support/wire.ts';

describe('bad messages', () => {
  const gateway = useGateway();

  for (const row of badMessages) {
    for (const { name: form } of forms) {
      const end = row.closes ? ' and closes the connection' : '';
      it(`${row.number}: answers ${row.what} with ${row.status}${end}, for a key of the ${form} form`, async () => {
        const bytes = row.bytes(keys[form].full.text);
        const wire = openWire(gateway.port);
        wire.send(bytes);
        const isHead = row.isHead === true;
        const reply = await wire.receive({ bodiless: isHead });
        assertValidResponse(reply, bytes.toString().trimStart().split(' ', 2)[1] ?? '', isHead);
        expect(reply.status).to.equal(row.status);
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
  const gateway = useGateway();

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
