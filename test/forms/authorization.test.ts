import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { keyText } from '../../src/keys/key-format.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';

/** What is sent, and the `Authorization` headers of the request. */
type Row = readonly [name: string, sent: (key: string) => readonly string[]];

const accepted: readonly Row[] = [
  ['in the specified form', (key) => [`Bearer ${key}`]],
  ['with the scheme in lower case', (key) => [`bearer ${key}`]],
  ['with the scheme in any case', (key) => [`bEaReR ${key}`]],
  ['after two spaces', (key) => [`Bearer  ${key}`]],
  ['before trailing spaces', (key) => [`Bearer ${key}  `]],
];

/** What only a request over HTTP can be: `test/keys/authenticate.test.ts` has the other headers. */
const refused: readonly Row[] = [
  ['a request without the header', () => []],
  ['a tab after the scheme', (key) => [`Bearer\t${key}`]],
  ['the same header twice', (key) => [`Bearer ${key}`, `Bearer ${key}`]],
  ['a good header before a bad one', (key) => [`Bearer ${key}`, 'Bearer x']],
  ['a bad header before a good one', (key) => ['Basic eA==', `Bearer ${key}`]],
  ['a very long key', () => [`Bearer ${keyText('long', 'z'.repeat(6_000))}`]],
  ['a key with letters outside ASCII', () => ['Bearer aik_\u00e9\u00e9_\u00ff']],
];

describe('Authorization header', () => {
  const gateway = useGateway();

  const send = (form: ComparedForm, [, sent]: Row) => {
    const { text } = keys[form].full;
    return gateway.send('/api/v1/signings', undefined, { headers: { Authorization: sent(text) } });
  };

  for (const form of forms) {
    for (const row of accepted) {
      it(`accepts a key of the ${form.name} form ${row[0]}`, async () => {
        const reply = await send(form.name, row);
        expect(reply.status).to.equal(200);
        expect(reply.headers['x-envelope-served']).to.equal(form.name);
      });
    }

    for (const row of refused) {
      it(`rejects ${row[0]} with 401 in the current form (${form.name} key)`, async () => {
        const reply = await send(form.name, row);
        expect(reply.status).to.equal(401);
        expect(formExpectations.current.readError(reply.text).code).to.equal('unauthorized');
        expect(reply.headers['x-envelope-served']).to.equal('current');
        expect(reply.headers['www-authenticate']).to.equal('Bearer');
      });
    }

    it(`ignores a key of the ${form.name} form elsewhere in the request`, async () => {
      const { text } = keys[form.name].full;
      const inQuery = `?api_key=${text}&access_token=${text}&Authorization=Bearer%20${text}`;
      const elsewhere = {
        ...{ 'X-Api-Key': text, Cookie: `key=${text}`, Token: text },
        'Proxy-Authorization': `Bearer ${text}`,
      };
      const path = `/api/v1/signings${inQuery}`;
      expect((await gateway.send(path, undefined, { headers: elsewhere })).status).to.equal(401);
    });
  }

  it('ignores headers that override the method', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE' };
    expect(
      (await gateway.send('/api/v1/signings', keys.current.full.text, { headers })).status,
    ).to.equal(200);
  });
});
