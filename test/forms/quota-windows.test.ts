import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { buildKey, keySourceOf, type TestKey } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { deadHistory, deadQuotas } from '../support/forms/dead-stores.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import type { RawReply } from '../support/raw.ts';

const open = (
  keys: readonly TestKey[],
  organization: Partial<Organization> = {},
): Promise<TestGateway> =>
  createTestGateway({
    keys: keySourceOf(
      keys,
      { perMinute: undefined, perDay: undefined, ...organization },
      { id: 'org_other', perMinute: undefined, perDay: undefined },
    ),
  });

const buildKeyOf = (form: ComparedForm, given: Partial<KeyRecord> = {}): TestKey =>
  buildKey({ form, perHour: undefined, allowEnvelopeOverride: true, ...given });

const ask = (gateway: TestGateway, { text }: TestKey, envelope?: ComparedForm): Promise<RawReply> =>
  gateway.send(
    '/api/v1/signings',
    text,
    envelope === undefined ? {} : { headers: { 'X-Envelope': envelope } },
  );

describe('quota windows', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  const current = buildKeyOf('current');
  const variant = buildKeyOf('variant');

  it('are shared by the current keys of an organization only', async () => {
    const colleague = buildKeyOf('current', { id: 'colleague' });
    const outsider = buildKeyOf('current', { id: 'outsider', organizationId: 'org_other' });
    const neighbour = buildKeyOf('variant', { id: 'neighbour' });
    gateway = await open([current, colleague, outsider, variant, neighbour]);
    const remaining: unknown[] = [];
    for (const key of [current, colleague, outsider, variant, neighbour])
      remaining.push((await ask(gateway, key)).headers['x-ratelimit-remaining']);
    expect(remaining).to.deep.equal(['9', '8', '9', '99', '99']);
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

  it("use the key's own quota with `X-Envelope`, and the served form's error body", async () => {
    const tight = buildKeyOf('variant', { perHour: 1 });
    gateway = await open([current, tight], { perDay: 1 });
    await ask(gateway, current, 'variant');
    const daySpent = await ask(gateway, current, 'variant');
    expect(daySpent.status).to.equal(429);
    expect(formExpectations.variant.readError(daySpent.text).code).to.equal('quota_exceeded');

    await ask(gateway, tight, 'current');
    const hourSpent = await ask(gateway, tight, 'current');
    expect(formExpectations.current.readError(hourSpent.text).code).to.equal('rate_limited');
    expect(hourSpent.headers).not.to.have.property('x-ratelimit-day-limit');
  });

  it('are reported by RateLimit fields with the remaining seconds', async () => {
    gateway = await open([current], { perMinute: 3 });
    gateway.clock.advance(18_001);
    const { headers } = await ask(gateway, current);
    expect(headers['ratelimit-policy']).to.equal('"minute";q=3;w=60, "day";q=1000;w=86400');
    expect(headers['ratelimit']).to.equal('"minute";r=2;t=42, "day";r=999;t=43182');
  });

  it('have a `t` by the clock of the quota store, not of the gateway', async () => {
    const clock = createManualClock();
    const storeClock = createManualClock('2026-08-22T12:00:30.000Z');
    gateway = await createTestGateway({ clock, quotas: createEmbeddedQuotas(storeClock) });
    const { headers } = await gateway.send('/api/v1/signings', fullKeys.current.text);
    expect(headers['ratelimit']).to.match(/^"minute";r=\d+;t=30, /);
  });

  it('keep the error if a refund fails, and log why both failed', async () => {
    const clock = createManualClock();
    const quotas = { ...createEmbeddedQuotas(clock), refund: deadQuotas.refund };
    gateway = await createTestGateway({ clock, quotas, histories: deadHistory });
    expect(
      (await gateway.send('/api/v1/artists/art_7rf1ly', fullKeys.current.text)).status,
    ).to.equal(503);
    const causes = gateway.log.entries.flatMap(({ event, facts }) =>
      'err' in facts && facts.err instanceof Error
        ? [`${event}: ${facts.err.cause ?? facts.err}`]
        : [],
    );
    expect(causes).to.have.members([
      'quota not refunded: Error: store is down',
      'request failed: Error: store is down',
    ]);
  });
});
