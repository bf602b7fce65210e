import { expect } from 'chai';
import { createUsageCounter } from '../../src/usage/counter.ts';
import { buildKey, keySourceOf, type TestKey } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
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
  const gateway = await createTestGateway({ clock, usage, ...options });
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
  type CountedRow = readonly [name: string, key: TestKey, path: string, counted: object, more?: CountedMore];
  interface CountedMore {
    readonly request?: Parameters<TestGateway['send']>[2];
    /** Whether it is counted by the minute too. */
    readonly metered?: false;
  }
  const unmetered = { metered: false } as const;
  const asVariant = { request: { headers: { 'X-Envelope': 'variant' } } };
  const notUnderstood = { tier: 1, 'tier none': 1, 'signed=true': 1, new: 1, 'new none': 1, id: 1, 'id none': 1 };
  const tooLong = `/artists?limit=5&${'x'.repeat(2049)}`;

  const requests: readonly CountedRow[] = [
    ['an answer', variant.full, '/artists', { form: 'variant', route: artists, status: 200 }],
    ['an answer', current.full, '/artists/art_7rf1ly', { form: 'current', route: `${artists}/:id`, status: 200 }],
    ['an unknown artist', current.full, '/artists/nobody', { route: `${artists}/:id`, status: 404 }],
    ['a bad parameter', current.full, '/artists?limit=0', { status: 400, uses: { limit: 1 } }],
    [
      'filters that cannot be understood',
      variant.full,
      '/artists?tier=legend&signed=true&new=week&id=',
      { status: 200, uses: notUnderstood },
    ],
    ['a query that is too long', variant.full, tooLong, { status: 200, uses: { 'query none': 1 } }],
    ['a missing scope', current.noSpikes, '/spikes', { keyId: current.noSpikes.record.id, status: 403 }],
    [
      'a missing scope, whose unit is refunded',
      variant.noSpikes,
      '/spikes?days=1',
      { form: 'variant', status: 401, uses: { days: 1 } },
      unmetered,
    ],
    [
      'an override of the form',
      current.override,
      '/artists',
      { keyId: current.override.record.id, form: 'variant', status: 200 },
      asVariant,
    ],
    ['an override that is not allowed', current.full, '/artists', { form: 'current', status: 200 }, asVariant],
    [
      'an unknown path',
      variant.full,
      '/added?days=3',
      { form: 'variant', route: undefined, status: 404, uses: {} },
      unmetered,
    ],
    [
      'another method',
      current.full,
      '/artists',
      { route: artists, status: 405 },
      { request: { method: 'PUT' }, ...unmetered },
    ],
    ['health with a key', current.full, '/health', { route: '/api/v1/health', status: 200 }, unmetered],
    ...(['revoked', 'expired', 'suspended'] as const).map((state): CountedRow => {
      const counted = { form: 'variant', status: 401, uses: { 'fields=basic': 1 } };
      const key = variant[state];
      return [`a key that is ${state}`, key, '/artists?fields=basic', { keyId: key.record.id, ...counted }, unmetered];
    }),
  ];

  for (const [name, { text }, path, counted, { request, metered = true } = {}] of requests) {
    it(`includes ${name}: ${request?.method ?? 'GET'} ${path}`, async () => {
      const gateway = await createCountingGateway();
      await gateway.send(`/api/v1${path}`, text, request);
      const { days, minutes } = await gateway.counted(1);
      expect(days).to.have.length(1);
      expect(days[0]).to.deep.include({ day: '2026-08-22', requests: 1, ...counted });
      expect(minutes.map(({ requests, refused }) => [requests, refused])).to.deep.equal(metered ? [[1, 0]] : []);
      await gateway.close();
    });
  }

  it('includes 304s and 429s', async () => {
    const tight = buildKey({ form: 'current' });
    const gateway = await createCountingGateway({ keys: keySourceOf([tight], { perMinute: 2 }) });
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
    const used: readonly (readonly ['current' | 'variant', path: string, uses: readonly string[]])[] = [
      ['variant', '/artists?new=7', ['new']],
      ['variant', '/artists?fields=basic&signed=TRUE&tier=watch', ['fields=basic', 'signed=true', 'tier=watch']],
      ['variant', '/artists?signed=false', ['signed=false']],
      ['variant', '/artists?limit=100', ['limit']],
      ['variant', '/artists?limit=101', ['limit>100']],
      ['variant', '/artists?limit=201', ['limit>100', 'limit adjusted']],
      ['variant', '/artists?limit=much', ['limit', 'limit adjusted']],
      [
        'variant',
        '/artists?signed=maybe&tier=gold&fields=all',
        ['signed', 'signed none', 'tier', 'tier none', 'fields', 'fields adjusted'],
      ],
      ['variant', '/artists?new=1&new=2', ['new', 'new adjusted']],
      ['variant', '/artists?cursor=x&include=history&a=1', ['unknown']],
      ['variant', '/spikes?days=31', ['days>30', 'days adjusted']],
      ['variant', '/signings?x=1', ['unknown']],
      ['current', '/artists?include=history&limit=5', ['include=history', 'limit']],
      ['current', '/artists?include=future', ['include']],
      ['current', '/artists?limit=200', ['limit>100']],
      ['current', '/artists?tier=watch&name=x', ['tier', 'name']],
      ['current', '/artists?new=7&fields=basic', ['unknown']],
      ['current', '/artists?limit=1&limit=2', ['limit']],
      ['current', '/added?days=91', ['days>90']],
      ['current', '/artists/art_7rf1ly?x', ['unknown']],
      ['current', '/artists?%zz=1&__proto__=2&limit', ['unknown', 'limit']],
    ];

    for (const [form, path, uses] of used) {
      it(`is ${uses.join(', ')} for ${path} of the ${form} form`, async () => {
        const gateway = await createCountingGateway();
        await gateway.send(`/api/v1${path}`, keys[form].full.text);
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
