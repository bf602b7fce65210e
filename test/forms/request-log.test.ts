import { expect } from 'chai';
import { keySource, keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

interface Row {
  readonly path: string;
  readonly key: string | undefined;
  readonly told: Readonly<Record<string, unknown>>;
}

const { full, revoked } = keys.current;
const variant = keys.variant.full;
const organization = 'org_test';

const rows: readonly Row[] = [
  {
    path: '/api/v1/artists?name=secret',
    key: full.text,
    told: {
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
    told: { key: full.record.id, form: 'current', route: '/api/v1/artists/:id', status: 404 },
  },
  {
    path: '/api/v1/spikes?days=99&secret=1',
    key: variant.text,
    told: { key: variant.record.id, form: 'variant', route: '/api/v1/spikes', status: 200, adjusted: true },
  },
  { path: '/api/v1/secret', key: undefined, told: { key: undefined, form: 'current', route: undefined, status: 404 } },
  { path: '/api/v1/signings', key: unissuedKey, told: { key: undefined, organization: undefined, status: 401 } },
  { path: '/api/v1/signings', key: revoked.text, told: { key: revoked.record.id, form: 'current', status: 401 } },
  { path: '/api/v1/health', key: undefined, told: { route: '/api/v1/health', status: 200 } },
];

describe('the log', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  afterEach(() => gateway.close());

  for (const { path, key, told } of rows) {
    it(`has one line for GET ${path} with ${told['status']}, under the id of its response`, async () => {
      const { headers } = await gateway.send(path, key);
      const lines = gateway.log.entries.filter(({ event }) => event === 'request');
      expect(lines).to.have.length(1);
      expect(lines[0]?.facts).to.deep.include({ ...told, requestId: headers['x-request-id'] });
      expect(lines[0]?.facts).to.have.property('ms').that.is.a('number');
    });

    it(`keeps nothing that the client wrote for GET ${path} with ${told['status']}`, async () => {
      await gateway.send(path, key, { headers: { 'X-Request-Id': 'secret', 'User-Agent': 'secret' } });
      expect(JSON.stringify(gateway.log.entries)).not.to.match(/secret|aik_|Bearer/);
    });
  }
});
