import { expect } from 'chai';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import { type KeyRecord, type Organization, scopes } from '../../src/domain/caller.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { brokenArtist } from '../support/forms/collected-replies.ts';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

interface Spending extends Omit<TestGatewayOptions, 'keys'> {
  readonly form: ComparedForm;
  readonly key?: Partial<KeyRecord>;
  readonly organization?: Partial<Organization>;
}

const open = async ({ form, key = {}, organization = {}, ...rest }: Spending) => {
  const given = buildKey({ form, perHour: 10, allowEnvelopeOverride: true, ...key });
  const revoked = buildKey({ form, id: 'revoked', revokedAt: 0 });
  const gateway = await createTestGateway({
    ...rest,
    keys: keySourceOf([given, revoked], { perMinute: 10, perDay: 100, ...organization }),
  });
  return { gateway, key: given.text, revoked: revoked.text };
};

/** The units left in each window, shortest first; reading them costs nothing. */
const unitsLeft = async (gateway: TestGateway, form: ComparedForm): Promise<readonly number[]> => {
  const limits =
    form === 'current'
      ? ([
          ['minute', 10, 'organization:org_test'],
          ['day', 100, 'organization:org_test'],
        ] as const)
      : ([['hour', 10, 'key:keyvariant']] as const);
  const remaining = limits.map(async ([window, limit, subject]) => {
    const { used } = await gateway.gateway.quotas.read({ window, limit, subject }, Number.POSITIVE_INFINITY);
    return limit - used;
  });
  return Promise.all(remaining);
};

interface Cost {
  readonly name: string;
  readonly form: ComparedForm;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly as?: 'revoked' | 'nobody';
  readonly spending?: Omit<Spending, 'form'>;
  readonly status: number;
  readonly counted: boolean;
}

const noSpikes = { key: { scopes: scopes.filter((scope) => scope !== 'spikes:read') } };
const unreadable: Pick<Spending, 'histories'> = {
  histories: {
    read: async () => {
      throw new Error('store is down');
    },
  },
};
const broken: Pick<Spending, 'source'> = { source: createTestSource({ artists: [brokenArtist] }) };
const asVariant = { headers: { 'X-Envelope': 'variant' } };
const tooLong = `/artists?${'a'.repeat(2049)}`;

const current = { form: 'current' } as const;
const variant = { form: 'variant' } as const;

const costs: readonly Cost[] = [
  { ...current, name: 'an answer', path: '/artists', status: 200, counted: true },
  {
    ...current,
    name: 'an unchanged answer',
    path: '/spikes',
    headers: { 'If-None-Match': '*' },
    status: 304,
    counted: true,
  },
  { ...current, name: 'a bad parameter', path: '/spikes?days=0', status: 400, counted: true },
  { ...current, name: 'a bad cursor', path: '/artists?cursor=x', status: 400, counted: true },
  { ...current, name: 'a missing scope', path: '/spikes', spending: noSpikes, status: 403, counted: true },
  { ...current, name: 'an unknown artist', path: '/artists/nobody', status: 404, counted: true },
  { ...current, name: 'a bad key', path: '/artists', as: 'revoked', status: 401, counted: false },
  { ...current, name: 'no key', path: '/artists', as: 'nobody', status: 401, counted: false },
  { ...current, name: 'an unknown path', path: '/labels', status: 404, counted: false },
  { ...current, name: 'another method', path: '/artists', method: 'POST', status: 405, counted: false },
  { ...current, name: 'health', path: '/health', status: 200, counted: false },
  { ...current, name: 'a query that is too long', path: tooLong, status: 431, counted: false },
  { ...current, name: 'a bug', path: '/artists', spending: broken, status: 500, counted: false },
  {
    ...current,
    name: 'a history that cannot be read',
    path: '/artists/art_7rf1ly',
    spending: unreadable,
    status: 503,
    counted: false,
  },
  {
    ...current,
    name: 'a missing scope in the other form',
    ...asVariant,
    path: '/spikes',
    spending: noSpikes,
    status: 401,
    counted: false,
  },
  { ...variant, name: 'an answer', path: '/artists', status: 200, counted: true },
  { ...variant, name: 'a query that is too long', path: tooLong, status: 200, counted: true },
  { ...variant, name: 'a repaired parameter', path: '/spikes?days=0', status: 200, counted: true },
  { ...variant, name: 'an unknown artist', path: '/artists?id=nobody', status: 404, counted: true },
  { ...variant, name: 'a missing scope', path: '/spikes', spending: noSpikes, status: 401, counted: false },
  { ...variant, name: 'a path of the other form', path: '/added', status: 404, counted: false },
  { ...variant, name: 'a bad key', path: '/artists', as: 'revoked', status: 401, counted: false },
  { ...variant, name: 'another method', path: '/artists', method: 'HEAD', status: 405, counted: false },
  { ...variant, name: 'health', path: '/health', status: 200, counted: false },
  { ...variant, name: 'a bug', path: '/artists', spending: broken, status: 500, counted: false },
];

describe('quota cost', () => {
  for (const { name, form, path, method, headers, as, spending, status, counted } of costs) {
    it(`${name} (${status}) costs ${counted ? 'one unit' : 'nothing'} with a key of the ${form} form`, async () => {
      const { gateway, key, revoked } = await open({ form, ...spending });
      const text = as === 'nobody' ? undefined : as === 'revoked' ? revoked : key;
      const reply = await gateway.send(`/api/v1${path}`, text, { method, headers });
      expect(reply.status).to.equal(status);
      const full = form === 'current' ? [10, 100] : [10];
      expect(await unitsLeft(gateway, form)).to.deep.equal(counted ? full.map((limit) => limit - 1) : full);
      await gateway.close();
    });
  }
});
