import { expect } from 'chai';
import { createUsageCounter } from '../../src/usage/counter.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { keySource, keys, unissuedKey } from '../support/forms/form-keys.ts';
import { deadCatalogue, deadQuotas } from '../support/forms/problem-cases.ts';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { unwrittenTotals } from '../support/usage.ts';
import { until } from '../support/wait.ts';

const artists = '/api/v1/artists';
const { current, variant } = keys;

/** Creates a gateway that counts usage. */
const createCountingGateway = async (options: TestGatewayOptions = {}) => {
  const clock = createManualClock();
  const counter = createUsageCounter({ clock, instance: 'test' });
  let events = 0;
  const usage = {
    count(used: Parameters<typeof counter.count>[0]): void {
      counter.count(used);
      events += 1;
    },
  };
  const gateway = await createTestGateway({ keys: keySource, clock, usage, ...options });
  return {
    ...gateway,
    /** Waits until this many requests were counted, which happens after they were answered, and returns the counts. */
    counted: async (requests: number) => {
      await until(`${requests} requests are counted`, () => events === requests);
      const { days, hours } = unwrittenTotals(counter);
      return {
        days,
        minutes: hours.flatMap(({ keyId, minutes }) => [...minutes.values()].map((m) => ({ keyId, ...m }))),
      };
    },
    /** Waits until all earlier requests were handled, and returns how many were counted. */
    countedSoFar: async () => {
      const before = events;
      await gateway.send('/api/v1/health', current.full.text);
      await until('a later request is counted', () => events > before);
      return events - 1;
    },
  };
};

describe('counted usage', () => {
  interface CountedRequest {
    readonly name: string;
    readonly path: string;
    readonly key: string;
    readonly request?: Parameters<TestGateway['send']>[2];
    readonly counted: object;
    readonly metered?: boolean;
  }

  const requests: readonly CountedRequest[] = [
    {
      name: 'an answer',
      path: artists,
      key: variant.full.text,
      counted: { form: 'variant', route: artists, status: 200 },
    },
    {
      name: 'an answer',
      path: `${artists}/art_7rf1ly`,
      key: current.full.text,
      counted: { form: 'current', route: `${artists}/:id`, status: 200 },
    },
    {
      name: 'an unknown artist',
      path: `${artists}/nobody`,
      key: current.full.text,
      counted: { route: `${artists}/:id`, status: 404 },
    },
    {
      name: 'a bad parameter',
      path: `${artists}?limit=0`,
      key: current.full.text,
      counted: { status: 400, uses: { limit: 1 } },
    },
    {
      name: 'filters that cannot be understood',
      path: `${artists}?tier=legend&signed=true&new=week&id=`,
      key: variant.full.text,
      counted: {
        status: 200,
        uses: { tier: 1, 'tier none': 1, 'signed=true': 1, new: 1, 'new none': 1, id: 1, 'id none': 1 },
      },
    },
    {
      name: 'a query that is too long',
      path: `${artists}?limit=5&${'x'.repeat(2049)}`,
      key: variant.full.text,
      counted: { status: 200, uses: { 'query none': 1 } },
    },
    {
      name: 'a missing scope',
      path: '/api/v1/spikes',
      key: current.noSpikes.text,
      counted: { keyId: current.noSpikes.record.id, status: 403 },
    },
    {
      name: 'a missing scope, whose unit is refunded',
      path: '/api/v1/spikes?days=1',
      key: variant.noSpikes.text,
      counted: { form: 'variant', status: 401, uses: { days: 1 } },
      metered: false,
    },
    {
      name: 'an override of the form',
      path: artists,
      key: current.override.text,
      request: { headers: { 'X-Envelope': 'variant' } },
      counted: { keyId: current.override.record.id, form: 'variant', status: 200 },
    },
    {
      name: 'an override that is not allowed',
      path: artists,
      key: current.full.text,
      request: { headers: { 'X-Envelope': 'variant' } },
      counted: { form: 'current', status: 200 },
    },
    {
      name: 'an unknown path',
      path: '/api/v1/added?days=3',
      key: variant.full.text,
      counted: { form: 'variant', route: undefined, status: 404, uses: {} },
      metered: false,
    },
    {
      name: 'another method',
      path: artists,
      key: current.full.text,
      request: { method: 'PUT' },
      counted: { route: artists, status: 405 },
      metered: false,
    },
    {
      name: 'health with a key',
      path: '/api/v1/health',
      key: current.full.text,
      counted: { route: '/api/v1/health', status: 200 },
      metered: false,
    },
    ...(['revoked', 'expired', 'suspended'] as const).map((state) => ({
      name: `a key that is ${state}`,
      path: `${artists}?fields=basic`,
      key: variant[state].text,
      counted: { keyId: variant[state].record.id, form: 'variant', status: 401, uses: { 'fields=basic': 1 } },
      metered: false,
    })),
  ];

  for (const { name, path, key, request, counted, metered = true } of requests) {
    it(`includes ${name}: ${request?.method ?? 'GET'} ${path}`, async () => {
      const gateway = await createCountingGateway();
      await gateway.send(path, key, request);
      const { days, minutes } = await gateway.counted(1);
      expect(days).to.have.length(1);
      expect(days[0]).to.deep.include({ day: '2026-08-22', requests: 1, ...counted });
      expect(minutes.map(({ requests, refused }) => [requests, refused])).to.deep.equal(metered ? [[1, 0]] : []);
      await gateway.close();
    });
  }

  it('includes 304s and 429s', async () => {
    const tight = buildKey({ form: 'current' });
    const organizations = [buildOrganization({ perMinute: 2 })];
    const gateway = await createCountingGateway({
      keys: { load: async () => ({ keys: [tight.record], organizations }) },
    });
    const first = await gateway.send(artists, tight.text);
    await gateway.send(artists, tight.text, { headers: { 'If-None-Match': String(first.headers['etag']) } });
    for (let times = 0; times < 3; times++) await gateway.send(`${artists}?tier=x`, tight.text);
    const { days, minutes } = await gateway.counted(5);
    expect(days.map(({ status, requests, uses }) => ({ status, requests, uses }))).to.deep.equal([
      { status: 200, requests: 1, uses: {} },
      { status: 304, requests: 1, uses: {} },
      { status: 429, requests: 3, uses: { tier: 3 } },
    ]);
    expect(minutes).to.deep.equal([{ keyId: tight.record.id, requests: 5, refused: 3 }]);
    await gateway.close();
  });

  for (const [name, options] of [
    ['outages of the quota store', { quotas: deadQuotas }],
    ['outages of the catalogue', { source: deadCatalogue }],
  ] as const) {
    it(`includes ${name} by the day, but not by the minute`, async () => {
      const gateway = await createCountingGateway(options);
      await gateway.send(artists, variant.full.text);
      await gateway.send(artists, current.full.text);
      const { days, minutes } = await gateway.counted(2);
      expect(days.map(({ form, status }) => [form, status])).to.deep.equal([
        ['variant', 500],
        ['current', 503],
      ]);
      expect(minutes).to.deep.equal([]);
      await gateway.close();
    });
  }

  it('excludes requests without a known key, and the reference', async () => {
    const gateway = await createCountingGateway();
    for (const key of [undefined, 'aik_bad', unissuedKey]) await gateway.send(artists, key);
    await gateway.send('/docs');
    await gateway.send('/openapi.json', current.full.text);
    expect(await gateway.countedSoFar()).to.equal(0);
    await gateway.close();
  });

  describe('by parameter', () => {
    const used: readonly (readonly [key: string, path: string, uses: readonly string[]])[] = [
      [variant.full.text, '/artists?new=7', ['new']],
      [
        variant.full.text,
        '/artists?fields=basic&signed=TRUE&tier=watch',
        ['fields=basic', 'signed=true', 'tier=watch'],
      ],
      [variant.full.text, '/artists?signed=false', ['signed=false']],
      [variant.full.text, '/artists?limit=100', ['limit']],
      [variant.full.text, '/artists?limit=101', ['limit>100']],
      [variant.full.text, '/artists?limit=201', ['limit>100', 'limit adjusted']],
      [variant.full.text, '/artists?limit=much', ['limit', 'limit adjusted']],
      [
        variant.full.text,
        '/artists?signed=maybe&tier=gold&fields=all',
        ['signed', 'signed none', 'tier', 'tier none', 'fields', 'fields adjusted'],
      ],
      [variant.full.text, '/artists?new=1&new=2', ['new', 'new adjusted']],
      [variant.full.text, '/artists?cursor=x&include=history&a=1', ['unknown']],
      [variant.full.text, '/spikes?days=31', ['days>30', 'days adjusted']],
      [variant.full.text, '/signings?x=1', ['unknown']],
      [current.full.text, '/artists?include=history&limit=5', ['include=history', 'limit']],
      [current.full.text, '/artists?include=future', ['include']],
      [current.full.text, '/artists?limit=200', ['limit>100']],
      [current.full.text, '/artists?tier=watch&name=x', ['tier', 'name']],
      [current.full.text, '/artists?new=7&fields=basic', ['unknown']],
      [current.full.text, '/artists?limit=1&limit=2', ['limit']],
      [current.full.text, '/added?days=91', ['days>90']],
      [current.full.text, '/artists/art_7rf1ly?x', ['unknown']],
      [current.full.text, '/artists?%zz=1&__proto__=2&limit', ['unknown', 'limit']],
    ];

    for (const [key, path, uses] of used) {
      it(`is ${uses.join(', ')} for ${path} of the ${key === current.full.text ? 'current' : 'variant'} form`, async () => {
        const gateway = await createCountingGateway();
        await gateway.send(`/api/v1${path}`, key);
        const { days } = await gateway.counted(1);
        expect(days[0]?.uses).to.deep.equal(Object.fromEntries(uses.map((use) => [use, 1])));
        await gateway.close();
      });
    }

    it('has only names and values that the forms declare, for any request', async () => {
      const gateway = await createCountingGateway();
      for (let index = 0; index < 60; index++) {
        const query = `secret${index}=${index}&limit=${index * 7}&tier=secret${index}&fields=secret&days=${index}&signed=s${index}`;
        const route = ['artists', 'spikes', 'signings'][index % 3];
        await gateway.send(`/api/v1/${route}?${query}`, index % 2 === 0 ? variant.full.text : current.full.text);
      }
      const { days } = await gateway.counted(60);
      const words = [...new Set(days.flatMap(({ uses }) => Object.keys(uses)))].sort();
      const numbers = 'days, days adjusted, days>30, fields, fields adjusted, limit, limit adjusted, limit>100';
      expect(words.join(', ')).to.equal(`${numbers}, signed, signed none, tier, tier none, unknown`);
      expect(JSON.stringify(days)).not.to.include('secret');
      await gateway.close();
    });
  });
});
