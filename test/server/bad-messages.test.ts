import { expect } from 'chai';
import { forms } from '../../src/app.ts';
import { keySource, keys } from '../forms/keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { openWire } from '../support/wire.ts';
import { badMessages } from './bad-messages.ts';
import { judge } from './judge.ts';

describe('a bad message', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(() => gateway.close());

  for (const row of badMessages) {
    for (const { name: form } of forms) {
      const status = typeof row.status === 'number' ? row.status : row.status[form];
      const end = row.closes ? ' and closes' : '';
      it(`${row.number}: ${row.what} is ${status}${end}, with a key of the ${form} form`, async () => {
        const key = keys[form].full.text;
        const said = row.say(key);
        const wire = openWire(gateway.port);
        wire.say(said);
        if (row.fin) wire.socket.end();
        const isHead = row.isHead === true;
        const reply = await wire.hear({ bodiless: isHead });
        judge(reply, said.toString().trimStart().split(' ', 2)[1] ?? '', isHead);
        expect(reply.status).to.equal(status);
        expect(reply.headers['x-envelope-served']).to.equal(row.isFormless ? 'current' : form);
        expect(reply.headers['connection']).to.equal(row.closes ? 'close' : 'keep-alive');
        if (row.closes) await wire.closed();
        else {
          wire.say('GET /api/v1/health HTTP/1.1\r\nHost: a\r\n\r\n');
          expect((await wire.hear()).status).to.equal(200);
        }
        wire.end();
      });
    }
  }

  it('leaves nothing behind: every request has its line, and no line has a key', () => {
    const told = JSON.stringify(gateway.log.entries);
    expect(told).not.to.match(/aik_|Bearer|evil/);
    expect(gateway.log.entries.every(({ event }) => event === 'request')).to.equal(true);
  });
});
