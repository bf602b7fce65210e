import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import {
  createKeyParser,
  keyMembers,
  organizationMembers,
  parseOrganization,
} from '../../adapters/stores/documents/key-documents.ts';
import {
  itReadsNullAsAbsent,
  itRefuses,
  keyDocument,
  missing,
  modelOf,
  notInstants,
  organizationDocument,
  withMember,
} from '../support/stores/stored-documents.ts';

const parseKey = createKeyParser(formNames);

const notLimits = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '60'];
const instants = ['deprecated_at', 'expires_at', 'revoked_at'] as const;

const refusedKeys: readonly (readonly [string, readonly unknown[]])[] = [
  ['_id', [missing, null, '', 'a_b', 'a b', 'é', 'a'.repeat(65), 7]],
  ['hash', [missing, null, '', 'A'.repeat(64), 'a'.repeat(63), 'g'.repeat(64), 7]],
  ['organization_id', [missing, null, '', 7]],
  ['partner', [missing, null, '', 7, 'x'.repeat(201)]],
  ['form', [missing, null, '', 'Current', 'legacy']],
  ['scopes', [missing, null, 'artists:read', {}]],
  ['scopes.0', [7, null]],
  ['quota', [60, 'none', []]],
  ['quota.per_hour', notLimits],
  ['allow_envelope_override', ['true', 1]],
  ['replaced_by', ['', 'a b', 7]],
  ['trial', ['current', 60, []]],
  ['trial.form', [missing, null, '', 'Current']],
  ['trial.until', [missing, null, ...notInstants]],
  ['sunset', ['2026-02-30', '2027-01-31T00:00:00Z', new Date()]],
  ['created_at', [missing, null, ...notInstants]],
  ...instants.map((name) => [name, notInstants] as const),
];

const refusedOrganizations: readonly (readonly [string, readonly unknown[]])[] = [
  ['_id', [missing, null, '', 7]],
  ['name', [missing, null, '', 7]],
  ['quota', [60, []]],
  ['quota.per_minute', notLimits],
  ['quota.per_day', notLimits],
  ['suspended_at', notInstants],
];

describe('parseKey', () => {
  it('reads every member', () => {
    expect(modelOf(parseKey(keyDocument))).to.deep.equal({
      id: 'aB3dE6gH9',
      hash: '0123456789abcdef'.repeat(4),
      organizationId: 'org_1',
      partner: 'A Partner',
      form: 'variant',
      scopes: ['artists:read', 'editorial:read'],
      perHour: 500,
      allowEnvelopeOverride: true,
      sunset: '2027-01-31',
      deprecatedAt: Date.parse('2026-08-01T00:00:00Z'),
      createdAt: Date.parse('2026-01-01T00:00:00Z'),
      expiresAt: Date.parse('2027-02-01T00:00:00Z'),
      revokedAt: Date.parse('2026-09-01T00:00:00Z'),
      replacedBy: 'bC4eF7hI0',
      trial: { form: 'current', until: Date.parse('2026-08-22T12:30:00Z') },
    });
  });

  it('leaves out unknown scopes and names them, without their text', () => {
    const parsed = parseKey({
      ...keyDocument,
      scopes: ['artists:read', 'artists:write', '', 'spikes:read', '*'],
    });
    expect(modelOf(parsed).scopes).to.deep.equal(['artists:read', 'spikes:read']);
    const leftOut = 'leftOut' in parsed && parsed.leftOut?.map(({ path }) => path);
    expect(leftOut).to.deep.equal(['scopes.1', 'scopes.2', 'scopes.4']);
    expect(JSON.stringify(parsed)).not.to.include('artists:write');
  });

  it('drops the text of a demo key and every other member that the format does not list', () => {
    const model = modelOf(parseKey(keyDocument));
    expect(modelOf(parseKey({ ...keyDocument, demo_key: 'aik_a_b', crm: 7 }))).to.deep.equal(model);
  });

  itRefuses(parseKey, keyDocument, refusedKeys);

  itReadsNullAsAbsent(parseKey, keyDocument, [
    ...['quota', 'quota.per_hour', 'allow_envelope_override', 'sunset', 'trial'],
    ...instants,
  ]);

  it('does not let a key choose a form unless `allow_envelope_override` is set', () => {
    const silent = withMember(keyDocument, 'allow_envelope_override', missing);
    expect(modelOf(parseKey(silent)).allowEnvelopeOverride).to.equal(false);
  });

  it('accepts a key without scopes, and a quota of 0', () => {
    const key = modelOf(parseKey({ ...keyDocument, scopes: [], quota: { per_hour: 0 } }));
    expect(key).to.deep.include({ scopes: [], perHour: 0 });
  });
});

describe('the members that are stored of a key or an organization', () => {
  it('are those that were read, with instants as dates', () => {
    const asStored = ({ _id, ...members }: object & { _id?: unknown }) =>
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name,
          name.endsWith('_at') ? new Date(String(value)) : value,
        ]),
      );
    const { hash: _, ...members } = keyDocument;
    expect(keyMembers(modelOf(parseKey(keyDocument)))).to.deep.equal(asStored(members));
    const organization = organizationMembers(modelOf(parseOrganization(organizationDocument)));
    expect(organization).to.deep.equal(asStored(organizationDocument));
  });

  it('leave out a quota without limits and a flag that is not set', () => {
    const plain = { ...keyDocument, quota: {}, allow_envelope_override: false };
    expect(keyMembers(modelOf(parseKey(plain)))).to.not.have.any.keys(
      'quota',
      'allow_envelope_override',
    );
  });
});

describe('parseOrganization', () => {
  it('reads every member, and no other', () => {
    expect(modelOf(parseOrganization({ ...organizationDocument, crm: 7 }))).to.deep.equal({
      id: 'org_1',
      name: 'An Organization',
      perMinute: 60,
      perDay: 5000,
      suspendedAt: Date.parse('2026-08-22T06:30:00Z'),
    });
  });

  itRefuses(parseOrganization, organizationDocument, refusedOrganizations);

  const optional = ['quota', 'quota.per_minute', 'quota.per_day', 'suspended_at'];
  itReadsNullAsAbsent(parseOrganization, organizationDocument, optional);
});
