import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { buildKey, keySourceOf, type TestKey } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { deadHistory, deadQuotas } from '../support/forms/dead-stores.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import type { RawReply } from '../support/raw.ts';

const open = (keys: readonly TestKey[], organization: Partial<Organization> = {}): Promise<TestGateway> =>
  createTestGateway({
    keys: keySourceOf(
      keys,
      { perMinute: undefined, perDay: undefined, ...organization },
      { id: 'org_other', perMinute: undefined, perDay: undefined },
    ),
  });

const buildKeyOf = (form: ComparedForm, given: Partial<KeyRecord> = {}): TestKey =>
  buildKey({ form, perHour: undefined, allowEnvelopeOverride: true, ...given });

const rateLimit = ({ headers }: RawReply, prefix: 'x-ratelimit' | 'x-ratelimit-day'): readonly number[] =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`${prefix}-${name}`]));

const ask = (gateway: TestGateway, { text }: TestKey, envelope?: ComparedForm): Promise<RawReply> =>
  gateway.send('/api/v1/signings', text, envelope === undefined ? {} : { headers: { 'X-Envelope': envelope } });

const askTimes = async (times: number, gateway: TestGateway, key: TestKey): Promise<RawReply> => {
  for (let turn = 1; turn < times; turn++) await ask(gateway, key);
  return ask(gateway, key);
};

const epoch = (instant: string): number => Date.parse(instant) / 1000;

describe('quota windows', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const current = buildKeyOf('current');
  const variant = buildKeyOf('variant');

  for (const [key, windows, max] of [
    [
      current,
      [
        [10, 9, epoch('2026-08-22T12:01:00Z')],
        [1000, 999, epoch('2026-08-23T00:00:00Z')],
      ],
      10,
    ],
    [variant, [[100, 99, epoch('2026-08-22T13:00:00Z')]], 100],
  ] as const) {
    it(`are ${max} in the shortest one of the ${key.record.form} form, which ends with the clock`, async () => {
      gateway = await open([key]);
      const reply = await ask(gateway, key);
      const prefixes = ['x-ratelimit', 'x-ratelimit-day'] as const;
      expect(windows.map((_, index) => rateLimit(reply, prefixes[index] ?? 'x-ratelimit'))).to.deep.equal(windows);
      expect((await askTimes(max - 1, gateway, key)).status).to.equal(200);
      expect((await ask(gateway, key)).status).to.equal(429);
    });
  }

  it('are shared by the current keys of an organization only', async () => {
    const colleague = buildKeyOf('current', { id: 'colleague' });
    const outsider = buildKeyOf('current', { id: 'outsider', organizationId: 'org_other' });
    const neighbour = buildKeyOf('variant', { id: 'neighbour' });
    gateway = await open([current, colleague, outsider, variant, neighbour]);
    const remaining: (number | undefined)[] = [];
    for (const key of [current, colleague, outsider, variant, neighbour]) {
      remaining.push(rateLimit(await ask(gateway, key), 'x-ratelimit')[1]);
    }
    expect(remaining).to.deep.equal([9, 8, 9, 99, 99]);
  });

  it('restart with the clock, not with the first request', async () => {
    gateway = await open([current], { perMinute: 1 });
    gateway.clock.advance(59_500);
    expect((await ask(gateway, current)).status).to.equal(200);
    expect((await ask(gateway, current)).headers['retry-after']).to.equal('1');
    gateway.clock.advance(500);
    expect((await ask(gateway, current)).status).to.equal(200);
    expect((await ask(gateway, current)).headers['retry-after']).to.equal('60');
  });

  it('and their error codes stay those of the key when it overrides its form', async () => {
    const tight = buildKeyOf('variant', { perHour: 1 });
    gateway = await open([current, tight], { perDay: 1 });
    const seen = await ask(gateway, current, 'variant');
    expect(seen.headers['x-envelope-served']).to.equal('variant');
    expect(rateLimit(seen, 'x-ratelimit').slice(0, 2)).to.deep.equal([10, 9]);
    expect(rateLimit(seen, 'x-ratelimit-day').slice(0, 2)).to.deep.equal([1, 0]);
    const daySpent = await ask(gateway, current, 'variant');
    expect(daySpent.status).to.equal(429);
    expect(formExpectations.variant.readError(daySpent.text).code).to.equal('quota_exceeded');

    await ask(gateway, tight, 'current');
    const hourSpent = await ask(gateway, tight, 'current');
    expect(formExpectations.current.readError(hourSpent.text).code).to.equal('rate_limited');
    expect(hourSpent.headers).not.to.have.property('x-ratelimit-day-limit');
  });

  it('are reported by RateLimit fields that say how many seconds are left', async () => {
    gateway = await open([current], { perMinute: 3 });
    gateway.clock.advance(18_001);
    const { headers } = await ask(gateway, current);
    expect(headers['ratelimit-policy']).to.equal('"minute";q=3;w=60, "day";q=1000;w=86400');
    expect(headers['ratelimit']).to.equal('"minute";r=2;t=42, "day";r=999;t=43182');
  });

  it('have a `t` by the clock of the quota store, not by that of the gateway', async () => {
    const clock = createManualClock();
    const storeClock = createManualClock('2026-08-22T12:00:30.000Z');
    gateway = await createTestGateway({ clock, quotas: createEmbeddedQuotas(storeClock) });
    const { headers } = await gateway.send('/api/v1/signings', fullKeys.current.text);
    expect(headers['ratelimit']).to.match(/^"minute";r=\d+;t=30, /);
  });

  it('do not change the error when a refund fails, which is logged', async () => {
    const clock = createManualClock();
    const quotas = { ...createEmbeddedQuotas(clock), refund: deadQuotas.refund };
    gateway = await createTestGateway({ clock, quotas, histories: deadHistory });
    expect((await gateway.send('/api/v1/artists/art_7rf1ly', fullKeys.current.text)).status).to.equal(503);
    expect(gateway.log.entries.map(({ event }) => event)).to.include('quota not refunded');
  });
});
