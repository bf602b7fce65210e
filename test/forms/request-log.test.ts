import { expect } from 'chai';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';

interface Row {
  readonly path: string;
  readonly key: string | undefined;
  readonly logged: Readonly<Record<string, unknown>>;
}

const { full, revoked } = keys.current;
const variant = keys.variant.full;
const organization = 'org_test';

const rows: readonly Row[] = [
  {
    path: '/api/v1/artists?name=secret',
    key: full.text,
    logged: {
      key: full.record.id,
      organization,
      form: 'current',
      route: '/api/v1/artists',
      status: 200,
      adjusted: false,
    },
  },
  {
    path: '/api/v1/artists/secret',
    key: full.text,
    logged: { key: full.record.id, form: 'current', route: '/api/v1/artists/:id', status: 404 },
  },
  {
    path: '/api/v1/spikes?days=99&secret=1',
    key: variant.text,
    logged: { key: variant.record.id, form: 'variant', route: '/api/v1/spikes', status: 200, adjusted: true },
  },
  {
    path: '/api/v1/secret',
    key: undefined,
    logged: { key: undefined, form: 'current', route: undefined, status: 404 },
  },
  { path: '/api/v1/signings', key: unissuedKey, logged: { key: undefined, organization: undefined, status: 401 } },
  { path: '/api/v1/signings', key: revoked.text, logged: { key: revoked.record.id, form: 'current', status: 401 } },
  { path: '/api/v1/health', key: undefined, logged: { route: '/api/v1/health', status: 200 } },
];

describe('request log', () => {
  const gateway = useGateway(createTestGateway, true);

  for (const { path, key, logged } of rows) {
    it(`has one line with the X-Request-Id for GET ${path} with ${logged['status']}`, async () => {
      const { headers } = await gateway.send(path, key);
      const lines = gateway.log.entries.filter(({ event }) => event === 'request');
      expect(lines).to.have.length(1);
      expect(lines[0]?.facts).to.deep.include({ ...logged, requestId: headers['x-request-id'] });
      expect(lines[0]?.facts).to.have.property('ms').that.is.a('number');
    });

    it(`contains no input of the client for GET ${path} with ${logged['status']}`, async () => {
      await gateway.send(path, key, { headers: { 'X-Request-Id': 'secret', 'User-Agent': 'secret' } });
      expect(JSON.stringify(gateway.log.entries)).not.to.match(/secret|aik_|Bearer/);
    });
  }
});
