import { expect } from 'chai';
import type { KeyRecord } from '../../src/domain/caller.ts';
import type { KeyRecords, KeySource } from '../../src/ports.ts';
import { type ComparedForm, comparedForms } from '../../tools/migration/mapping/forms.ts';
import { buildKey, buildOrganization, keySourceOf, type TestKey } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { deadKeys } from '../support/forms/dead-stores.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';

const otherThan: Readonly<Record<ComparedForm, ComparedForm>> = {
  current: 'variant',
  variant: 'current',
};

/** Values of `X-Envelope` that name no form. */
const meaningless = ['', 'Current', 'VARIANT', 'v1', 'variant, current', '__proto__'];

describe('the served form', () => {
  const gateway = useGateway();

  const served = async (
    path: string,
    key: string | undefined,
    headers: Record<string, string | string[]> = {},
  ) => (await gateway.send(`/api/v1${path}`, key, { headers })).headers['x-envelope-served'];

  for (const form of comparedForms) {
    const other = otherThan[form];
    const { full, override } = keys[form];

    it(`is the ${form} form for its keys, regardless of other headers and parameters`, async () => {
      expect(await served('/artists', full.text)).to.equal(form);
      expect(await served(`/artists?form=${other}&envelope=${other}`, full.text)).to.equal(form);
      const headers = { Accept: `application/vnd.${other}+json`, 'X-Api-Version': other };
      expect(await served('/artists', full.text, headers)).to.equal(form);
    });

    it(`changes from the ${form} form by X-Envelope on errors and health too`, async () => {
      const headers = { 'X-Envelope': other };
      for (const path of ['/nothing', '/health', '/artists?id=nobody']) {
        expect(await served(path, override.text, headers), path).to.equal(other);
      }
      const reply = await gateway.send('/api/v1/nothing', override.text, { headers });
      expect(formExpectations[other].readError(reply.text).code).to.equal('not_found');
    });

    it(`stays the ${form} form when X-Envelope names no form, or is sent twice`, async () => {
      for (const envelope of [...meaningless, [other, other]])
        expect(
          await served('/artists', override.text, { 'X-Envelope': envelope }),
          String(envelope),
        ).to.equal(form);
    });
  }

  for (const form of comparedForms)
    it(`is the ${form} form for unknown keys with UNKNOWN_KEY_FORM=${form}, regardless of X-Envelope`, async () => {
      const { send, close } = await createTestGateway({ settings: { UNKNOWN_KEY_FORM: form } });
      const headers = { 'X-Envelope': otherThan[form] };
      for (const key of [undefined, 'aik_bad', unissuedKey]) {
        const refused = await send('/api/v1/artists', key, { headers });
        const { status, code } = formExpectations[form].errors.unauthorized;
        expect(refused.status).to.equal(status);
        expect(formExpectations[form].readError(refused.text).code).to.equal(code);
        const health = await send('/api/v1/health', key, { headers });
        const wrongMethod = await send('/api/v1/artists', key, { headers, method: 'POST' });
        const unknownPath = await send('/api/v1/nothing', key, { headers });
        for (const reply of [refused, health, wrongMethod, unknownPath])
          expect(reply.headers['x-envelope-served']).to.equal(form);
      }
      for (const known of comparedForms) {
        const reply = await send('/api/v1/artists', keys[known].revoked.text);
        expect(reply.headers['x-envelope-served']).to.equal(known);
      }
      await close();
    });

  it('is the current form until keys are loaded, regardless of UNKNOWN_KEY_FORM', async () => {
    const settings = { UNKNOWN_KEY_FORM: 'variant' };
    const { send, close } = await createTestGateway({ keys: deadKeys, settings });
    const reply = await send('/api/v1/artists', keys.variant.full.text);
    expect([reply.status, reply.headers['x-envelope-served']]).to.deep.equal([503, 'current']);
    await close();
  });

  it('decides which paths exist, not the form of the key', async () => {
    const headers = { 'X-Envelope': 'current' };
    expect(
      (await gateway.send('/api/v1/added', keys.variant.override.text, { headers })).status,
    ).to.equal(200);
    const back = { 'X-Envelope': 'variant' };
    const reply = await gateway.send('/api/v1/added', keys.current.override.text, {
      headers: back,
    });
    expect(formExpectations.variant.readError(reply.text).code).to.equal('not_found');
  });
});

describe('Deprecation and Sunset headers', () => {
  const link = '</docs/migration>; rel="deprecation"';
  const links = `${link}, </docs/migration>; rel="sunset"`;
  const end = 'Wed, 30 Jun 2027 00:00:00 GMT';
  const deprecatedAt = Date.parse('2027-07-01');
  const both = ['@1814313600', end, links];
  const build = (given: Partial<KeyRecord> = {}) =>
    buildKey({ form: 'variant', sunset: '2027-06-30', deprecatedAt, ...given });
  const active = build();
  const revoked = build({ revokedAt: 0 });
  const expired = build({ expiresAt: 0 });
  const ofCurrent = build({ form: 'current', expiresAt: 0 });
  const deprecated = build({ sunset: undefined, deprecatedAt: 0 });
  const sunset = build({ deprecatedAt: undefined, createdAt: 1_000 });
  const { id, hash, form, organizationId } = active.record;
  const sourceOf = (records: Partial<KeyRecords>): KeySource => ({
    load: async () => ({ keys: [active.record], organizations: [], ...records }),
  });
  const unreadable = sourceOf({ unreadable: [{ id, hash, form, organizationId }] });
  const ofNone = sourceOf({ organizations: [buildOrganization({ id: 'org_other' })] });

  const rows: readonly (readonly [
    what: string,
    status: number,
    key: TestKey,
    headers: readonly (string | undefined)[],
    source?: KeySource,
  ])[] = [
    ['a deprecated variant key', 200, deprecated, ['@0', undefined, link]],
    ['a variant key with a sunset only', 200, sunset, [undefined, end, links]],
    ['a variant key, with a Deprecation no later than Sunset', 200, active, both],
    ['a revoked variant key', 401, revoked, both],
    ['an expired variant key', 401, expired, both],
    [
      ...(['a suspended variant key', 401, active, both] as const),
      keySourceOf([active], { suspendedAt: 0 }),
    ],
    ['a variant key of no organization', 401, active, both, ofNone],
    ['a variant key of an unreadable organization', 500, active, both, unreadable],
    ['a current key: none', 401, ofCurrent, [undefined, undefined]],
  ];
  for (const [what, status, key, expected, source = keySourceOf([key])] of rows)
    it(`are sent to ${what}`, async () => {
      const gateway = await createTestGateway({ keys: source });
      for (const [path, code] of [
        ['artists', status],
        ['nothing', 404],
      ] as const) {
        const reply = await gateway.send(`/api/v1/${path}`, key.text);
        const { deprecation, sunset: last, link: sent } = reply.headers;
        expect(reply.status).to.equal(code);
        const found = [deprecation, last, sent].slice(0, expected.length);
        expect(found, path).to.deep.equal(expected);
        if (status === 401) expect(reply.headers).not.to.have.property('x-key-expires');
      }
      await gateway.close();
    });

  it('are sent to a variant key even if the keys are stale', async () => {
    const clock = createManualClock();
    const gateway = await createTestGateway({ keys: keySourceOf([active]), clock });
    clock.advance(900_001);
    const { status, headers } = await gateway.send('/api/v1/artists', active.text);
    expect([status, headers['sunset']]).to.deep.equal([500, end]);
    await gateway.close();
  });
});
