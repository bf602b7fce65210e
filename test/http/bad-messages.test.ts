import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { badMessages } from '../support/http/bad-messages.ts';
import { openWire, requestText } from '../support/wire.ts';

describe('bad messages', () => {
  const gateway = useGateway();

  for (const row of badMessages) {
    for (const { name: form } of forms) {
      const end = `${row.hidesRequest ? ', not the request behind it,' : ''}${row.closes ? ' and closes the connection' : ''}`;
      it(`answers ${row.what} with ${row.status}${end}, for a key of the ${form} form`, async () => {
        const bytes = row.bytes(keys[form].full.text);
        const wire = openWire(gateway.port);
        const behind = row.closes && !row.hidesRequest ? '' : requestText('/api/v1/health');
        wire.send(Buffer.concat([Buffer.from(bytes), Buffer.from(behind)]));
        const isHead = row.isHead === true;
        const reply = await wire.receive({ bodiless: isHead });
        assertValidResponse(reply, bytes.toString().trimStart().split(' ', 2)[1] ?? '', isHead);
        expect(reply.status).to.equal(row.status);
        expect(reply.headers['x-envelope-served']).to.equal(row.isFormless ? 'current' : form);
        expect(reply.headers['connection']).to.equal(row.closes ? 'close' : 'keep-alive');
        if (row.closes) await wire.closed();
        else expect((await wire.receive()).status).to.equal(200);
        wire.end();
      });
    }
  }

  it('leave only request lines in the log, without keys', () => {
    const logged = JSON.stringify(gateway.log.entries);
    expect(logged).not.to.match(/aik_|Bearer|evil/);
    expect(gateway.log.entries.filter(({ event }) => event !== 'request')).to.deep.equal([]);
    const answered = badMessages
      .map(({ closes }) => (closes ? 1 : 2))
      .reduce((sum, replies) => sum + replies, 0);
    expect(gateway.log.entries).to.have.length(forms.length * answered);
  });
});
