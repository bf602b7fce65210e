import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { keyText } from '../../src/keys/key-format.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keySource, keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

/** Ways to send a key, or what looks like one; each value is a header of its own. */
interface Row {
  readonly what: string;
  readonly sent: (key: string, id: string) => readonly string[];
}

const accepted: readonly Row[] = [
  { what: 'as the specification writes it', sent: (key) => [`Bearer ${key}`] },
  { what: 'with the scheme in lower case', sent: (key) => [`bearer ${key}`] },
  { what: 'with the scheme in any case', sent: (key) => [`bEaReR ${key}`] },
  { what: 'after two blanks', sent: (key) => [`Bearer  ${key}`] },
  { what: 'before trailing blanks', sent: (key) => [`Bearer ${key}  `] },
];

const refused: readonly Row[] = [
  { what: 'nothing at all', sent: () => [] },
  { what: 'an empty header', sent: () => [''] },
  { what: 'the scheme alone', sent: () => ['Bearer'] },
  { what: 'the scheme and a blank', sent: () => ['Bearer '] },
  { what: 'the key alone', sent: (key) => [key] },
  { what: 'another scheme', sent: (key) => [`Basic ${Buffer.from(`x:${key}`).toString('base64')}`] },
  { what: 'another scheme before the key', sent: (key) => [`Token ${key}`] },
  { what: 'a scheme that only begins so', sent: (key) => [`Bearers ${key}`] },
  { what: 'no blank between', sent: (key) => [`Bearer${key}`] },
  { what: 'a tab between', sent: (key) => [`Bearer\t${key}`] },
  { what: 'quotation marks', sent: (key) => [`Bearer "${key}"`] },
  { what: 'something behind the key', sent: (key) => [`Bearer ${key} x`] },
  { what: 'a comma behind the key', sent: (key) => [`Bearer ${key},`] },
  { what: 'two keys in one header', sent: (key) => [`Bearer ${key}, Bearer ${key}`] },
  { what: 'the same header twice', sent: (key) => [`Bearer ${key}`, `Bearer ${key}`] },
  { what: 'a good header before a bad one', sent: (key) => [`Bearer ${key}`, 'Bearer x'] },
  { what: 'a bad header before a good one', sent: (key) => ['Basic eA==', `Bearer ${key}`] },
  { what: 'a key cut short', sent: (key) => [`Bearer ${key.slice(0, -1)}`] },
  { what: 'a key with one more character', sent: (key) => [`Bearer ${key}0`] },
  { what: 'a key with a wrong check', sent: (key) => [`Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`] },
  { what: 'a key in capitals', sent: (key) => [`Bearer ${key.toUpperCase()}`] },
  { what: 'a good check on another secret', sent: (_key, id) => [`Bearer ${keyText(id, 'y'.repeat(43))}`] },
  { what: 'a key nobody issued', sent: () => [`Bearer ${unissuedKey}`] },
  { what: 'the id of a key', sent: (_key, id) => [`Bearer ${id}`] },
  { what: 'a very long key', sent: () => [`Bearer ${keyText('long', 'z'.repeat(6_000))}`] },
  { what: 'letters that no key has', sent: () => ['Bearer aik_\u00e9\u00e9_\u00ff'] },
  { what: 'the name of a prototype', sent: () => [`Bearer ${keyText('constructor', 'z'.repeat(43))}`] },
];

describe('the authorization header', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(() => gateway.close());

  const send = (form: FormName, { sent }: Row) => {
    const { text, record } = keys[form].full;
    return gateway.send('/api/v1/signings', undefined, { headers: { Authorization: sent(text, record.id) } });
  };

  for (const form of forms) {
    for (const row of accepted) {
      it(`lets a key of the ${form.name} form in ${row.what}`, async () => {
        const reply = await send(form.name, row);
        expect(reply.status).to.equal(200);
        expect(reply.headers['x-envelope-served']).to.equal(form.name);
      });
    }

    for (const row of refused) {
      it(`refuses ${row.what}, in the current form although the ${form.name} form was meant`, async () => {
        const reply = await send(form.name, row);
        expect(reply.status).to.equal(401);
        expect(formExpectations.current.readError(reply.text).code).to.equal('unauthorized');
        expect(reply.headers['x-envelope-served']).to.equal('current');
        expect(reply.headers['www-authenticate']).to.equal('Bearer');
      });
    }

    it(`is the only place where a key of the ${form.name} form is looked for`, async () => {
      const { text } = keys[form.name].full;
      const places = [
        { path: `/api/v1/signings?api_key=${text}&access_token=${text}&Authorization=Bearer%20${text}`, headers: {} },
        { path: '/api/v1/signings', headers: { 'X-Api-Key': text, Cookie: `key=${text}`, Token: text } },
        { path: '/api/v1/signings', headers: { 'Proxy-Authorization': `Bearer ${text}` } },
      ];
      for (const { path, headers } of places) {
        expect((await gateway.send(path, undefined, { headers })).status).to.equal(401);
      }
    });
  }

  it('never appears in the log, and neither does a key in the query', async () => {
    const { text } = keys.current.full;
    await gateway.send(`/api/v1/artists?api_key=${text}`, text);
    await gateway.send(`/api/v1/artists?api_key=${text}`, `${text}x`);
    const entries = JSON.stringify(gateway.log.entries);
    expect(entries).to.include(keys.current.full.record.id);
    expect(entries).not.to.include(text);
    expect(entries).not.to.include('Bearer');
  });

  it('is not asked for another method than the request’s own', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE' };
    expect((await gateway.send('/api/v1/signings', keys.current.full.text, { headers })).status).to.equal(200);
  });
});
