import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { formNames, forms } from '../../adapters/forms/forms.ts';
import { openApiPath } from '../../adapters/openapi/document.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { artistListWire, compactForm, errorWire } from '../support/forms/compact-form.ts';
import { createTestGateway } from '../support/gateway.ts';
import { referenceOptions } from '../support/reference.ts';

const key = buildKey({ id: 'cmp', form: 'compact' });
const currentKey = buildKey({ id: 'cur', form: 'current' });

/** A gateway that serves a third form beside the two of the product; no other code knows of it. */
const openThreeForms = async () => {
  const all = [...forms, compactForm] as const;
  const { handle: reference } = createReference(all, referenceOptions);
  const keys = keySourceOf([key, currentKey]);
  const { http, log } = await createTestGateway({ forms: all, reference, keys });
  return { http, log, get: (path: string, text = key.text) => http.get(path).set('Authorization', `Bearer ${text}`) };
};

describe('a third form', () => {
  it('is served when it is in the list: each folder of forms is', () => {
    const folders = readdirSync('adapters/forms', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => name);
    expect(names, 'adapters/forms/forms.ts').to.have.members([...formNames]);
  });

  it('answers in its own envelope, and names itself in X-Envelope-Served', async () => {
    const { get, log } = await openThreeForms();
    const { status, headers, body } = await get('/api/v1/roster?first=2');
    expect([status, headers['x-envelope-served']]).to.deep.equal([200, 'compact']);
    expect(artistListWire.parse(body).artists.map(({ name }) => name)).to.have.lengthOf(2);
    expect(log.entries.at(-1)?.facts).to.include({ form: 'compact', route: '/api/v1/roster', status: 200 });
  });

  for (const [what, path, status, code] of [
    ['a bad parameter', '/api/v1/roster?first=many', 422, 'unusable'],
    ['a path of another form', '/api/v1/artists', 404, 'nothing-here'],
  ] as const) {
    it(`answers ${status} in its own error shape to ${what}`, async () => {
      const { get } = await openThreeForms();
      const response = await get(path);
      expect(response.status).to.equal(status);
      expect(errorWire.parse(response.body).fault.kind).to.equal(code);
    });
  }

  it('counts its own quota: three a minute for each key, then 420 until the minute ends', async () => {
    const { get } = await openThreeForms();
    const statuses: number[] = [];
    for (let request = 0; request < 4; request += 1) statuses.push((await get('/api/v1/roster')).status);
    expect(statuses).to.deep.equal([200, 200, 200, 420]);
    const refused = await get('/api/v1/roster');
    expect(refused.headers).to.include({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    expect(errorWire.parse(refused.body).fault.kind).to.equal('slow-down');
  });

  it('has a contract made from its declaration, and a place on the page', async () => {
    const { http } = await openThreeForms();
    const contract = await http.get('/openapi.compact.json');
    expect(contract.status).to.equal(200);
    expect(Object.keys(contract.body.paths)).to.deep.equal(compactForm.routes.map(({ path }) => openApiPath(path)));
    expect(Object.keys(contract.body.paths['/api/v1/roster'].get.responses)).to.include.members(['200', '422', '420']);
    expect(contract.body.components.headers['X-Envelope-Served'].schema.enum).to.deep.equal(['compact']);
    const page = await http.get('/docs');
    expect(page.text).to.include('id="compact"').and.include('/openapi.compact.json');
  });

  it('leaves the other forms as they are', async () => {
    const { get } = await openThreeForms();
    const current = await get('/api/v1/artists?limit=1', currentKey.text);
    expect([current.status, current.headers['x-envelope-served']]).to.deep.equal([200, 'current']);
    const { status, body } = await get('/api/v1/roster', currentKey.text);
    expect([status, body.error.code]).to.deep.equal([404, 'not_found']);
  });
});
