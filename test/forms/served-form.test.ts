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
const meaningless = [
  '',
  'Current',
  'VARIANT',
  'v1',
  'legacy',
  'variant, current',
  'current,variant',
  '__proto__',
];

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
      const headers = {
        Accept: `application/vnd.${other}+json`,
        'X-Form': other,
        'X-Api-Version': other,
      };
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
  const later = Date.parse('2027-07-01');
  for (const [sent, given, headers] of [
    ['Deprecation alone', { deprecatedAt: 0 }, ['@0', undefined, link]],
    [
      'no Deprecation when only the sunset is set',
      { sunset: '2027-06-30', createdAt: 1_000 },
      [undefined, end, links],
    ],
    [
      'a Deprecation no later than Sunset',
      { sunset: '2027-06-30', deprecatedAt: later },
      ['@1814313600', end, links],
    ],
  ] as const) {
    it(`send ${sent} to a key of the variant form`, async () => {
      const key = buildKey({ form: 'variant', ...given });
      const gateway = await createTestGateway({ keys: keySourceOf([key]) });
      for (const path of ['artists', 'artists?id=nobody', 'nothing', 'health']) {
        const reply = await gateway.send(`/api/v1/${path}`, key.text);
        const { deprecation, sunset, link } = reply.headers;
        expect([deprecation, sunset, link], path).to.deep.equal(headers);
      }
      await gateway.close();
    });
  }

  const build = (given: Partial<KeyRecord> = {}) =>
    buildKey({ form: 'variant', sunset: '2027-06-30', deprecatedAt: later, ...given });
  const active = build();
  const revoked = build({ revokedAt: 0 });
  const expired = build({ expiresAt: 0 });
  const { id, hash, form, organizationId } = active.record;
  const unreadable = [{ id, hash, form, organizationId }];
  const sourceOf = (records: Partial<KeyRecords>): KeySource => ({
    load: async () => ({ keys: [active.record], organizations: [buildOrganization()], ...records }),
  });
  const refused: readonly (readonly [what: string, status: number, TestKey, KeySource])[] = [
    ['is revoked', 401, revoked, keySourceOf([revoked])],
    ['has expired', 401, expired, keySourceOf([expired])],
    ['is of a suspended organization', 401, active, keySourceOf([active], { suspendedAt: 0 })],
    [
      'is of no organization',
      401,
      active,
      sourceOf({ organizations: [buildOrganization({ id: 'org_other' })] }),
    ],
    [
      'is of an organization that cannot be read',
      500,
      active,
      sourceOf({ organizations: [], unreadable }),
    ],
  ];
  for (const [what, status, key, source] of refused)
    it(`are sent to a key of the variant form that ${what}`, async () => {
      const gateway = await createTestGateway({ keys: source });
      for (const [path, code] of [
        ['artists', status],
        ['nothing', 404],
      ] as const) {
        const reply = await gateway.send(`/api/v1/${path}`, key.text);
        const { deprecation, sunset, link } = reply.headers;
        expect(reply.status).to.equal(code);
        expect([deprecation, sunset, link], path).to.deep.equal(['@1814313600', end, links]);
      }
      await gateway.close();
    });

  it('are sent to a key of the variant form while the keys are too old to be believed', async () => {
    const clock = createManualClock();
    const gateway = await createTestGateway({ keys: keySourceOf([active]), clock });
    clock.advance(900_001);
    const { status, headers } = await gateway.send('/api/v1/artists', active.text);
    expect([status, headers['sunset']]).to.deep.equal([500, end]);
    await gateway.close();
  });

  it('are not sent to a key of the current form, nor is an expiry while it is not accepted', async () => {
    const key = build({ form: 'current', expiresAt: 0 });
    const gateway = await createTestGateway({ keys: keySourceOf([key]) });
    const { status, headers } = await gateway.send('/api/v1/artists', key.text);
    expect(status).to.equal(401);
    expect(headers).not.to.have.any.keys('deprecation', 'sunset', 'x-key-expires');
    await gateway.close();
  });
});
