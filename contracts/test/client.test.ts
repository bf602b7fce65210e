import { expect } from 'chai';
import createClient from 'openapi-fetch';
import { demoKey } from '../../test/support/documents.ts';
import { openSandbox } from '../../test/support/exchanges.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import type { components, paths } from '../generated/current.ts';
import type { paths as variantPaths } from '../generated/variant.ts';

type Artist = components['schemas']['Artist'];

describe('a client generated from the contract', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openSandbox();
  });
  afterEach(() => gateway.close());

  const optionsFor = async (id: string) => ({
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    headers: { Authorization: `Bearer ${demoKey(id)}` },
  });

  it('pages through the shortlist, and waits for Retry-After on 429', async () => {
    const client = createClient<paths>(await optionsFor('curTight1'));
    const waits: number[] = [];
    const artists: Artist[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = { limit: 5, ...(cursor === undefined ? {} : { cursor }) };
      const { data, error, response } = await client.GET('/api/v1/artists', { params: { query } });
      if (data !== undefined) {
        artists.push(...data.data);
        cursor = data.meta.next_cursor;
        continue;
      }
      expect(error.error.code).to.equal('rate_limited');
      const seconds = Number(response.headers.get('Retry-After'));
      waits.push(seconds);
      gateway.clock.advance(seconds * 1000); // time passes for the gateway
      await gateway.gateway.keys.refresh();
    }
    expect(waits).to.deep.equal([60]);
    expect(new Set(artists.map(({ id }) => id)).size).to.equal(12);
    const names: string[] = artists.flatMap(({ songs }) => songs.map(({ name }) => name));
    expect(names).to.not.have.lengthOf(0);
  });

  it('has types for parameters, members and error codes', async () => {
    const client = createClient<paths>(await optionsFor('curFull01'));
    const { data } = await client.GET('/api/v1/artists/{id}', {
      params: { path: { id: 'art_7rf1ly' } },
    });
    const points = data?.data.history?.['monthly_listeners'] ?? [];
    expect(points.every(({ value }) => value > 0)).to.equal(true);
    // @ts-expect-error: the compiler refuses a parameter that the contract does not have
    const wrong = await client.GET('/api/v1/artists', { params: { query: { new: 7 } } });
    const code: components['schemas']['Error']['error']['code'] | undefined =
      wrong.error?.error.code;
    expect(code).to.equal('invalid_parameter');
    const missing = await client.GET('/api/v1/artists/{id}', {
      params: { path: { id: 'nobody' } },
    });
    expect(missing.error?.error.code).to.equal('not_found');
  });

  it('reads the variant form', async () => {
    const client = createClient<variantPaths>(await optionsFor('varFull01'));
    const query = { signed: true, fields: 'basic', limit: 200 } as const;
    const { data } = await client.GET('/api/v1/artists', { params: { query } });
    expect(data?.count).to.equal(4);
    expect(data?.data.every(({ signed_status }) => signed_status === 'signed')).to.equal(true);
    const spikes = await client.GET('/api/v1/spikes', { params: { query: { days: 7 } } });
    expect(spikes.data?.period_days).to.equal(7);
  });
});
