import { expect } from 'chai';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import {
  type Authentication,
  authenticate,
  buildKeyDirectory,
  type KeyDirectory,
} from '../../src/keys/authenticate.ts';
import { keyText } from '../../src/keys/key-format.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00.000Z');
const current = buildKey({ id: 'cur' });
const variant = buildKey({ id: 'var', form: 'variant', scopes: ['artists:read', 'spikes:read'] });
const organization = buildOrganization();
const directory = buildKeyDirectory({ keys: [current.record, variant.record], organizations: [organization] });

const unknown = keyText('ghost', 'S'.repeat(43));
const wrongSecret = keyText('var', 'T'.repeat(43));

/** The form of the key's owner (without an owner the first form), and the outcome. */
const outcomeOf = (access: Authentication): string =>
  'caller' in access
    ? `${access.caller.key.form} caller`
    : `${access.keyOwner?.key.form ?? 'current'} ${access.problem.kind}`;

/** A directory with the variant key and its organization, changed. */
const directoryWith = (key: Partial<KeyRecord>, changes: Partial<Organization> = {}): KeyDirectory =>
  buildKeyDirectory({ keys: [{ ...variant.record, ...key }], organizations: [buildOrganization(changes)] });

const malformed = [
  ['no header', undefined],
  ['an empty header', ''],
  ['a scheme alone', 'Bearer'],
  ['a scheme and a space', 'Bearer '],
  ['a key without a scheme', variant.text],
  ['another scheme', `Basic ${variant.text}`],
  ['a scheme with "Bearer" as its prefix', `Bearers ${variant.text}`],
  ['a colon after the scheme', `Bearer: ${variant.text}`],
  ['two keys', `Bearer ${variant.text} ${current.text}`],
  ['a key with a wrong checksum', `Bearer ${variant.text.slice(0, -1)}-`],
  ['a text that is not a key', 'Bearer secret'],
] as const;

const unknownKeys = [
  ['an unknown key', `Bearer ${unknown}`],
  ['a key with a wrong secret', `Bearer ${wrongSecret}`],
] as const;

describe('authentication', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ', 'Bearer    ']) {
    it(`accepts a key with the scheme "${scheme}"`, () => {
      expect(outcomeOf(authenticate(`${scheme} ${variant.text}`, directory, true, now))).to.equal('variant caller');
      expect(outcomeOf(authenticate(`${scheme} ${current.text}`, directory, true, now))).to.equal('current caller');
    });
  }

  it('returns the key, the organization and the scopes of the caller', () => {
    expect(authenticate(`Bearer ${variant.text}`, directory, true, now)).to.deep.equal({
      caller: { key: variant.record, organization, scopes: new Set(['artists:read', 'spikes:read']) },
    });
  });

  for (const [name, header] of [...malformed, ...unknownKeys]) {
    it(`refuses ${name} in the current form`, () => {
      expect(outcomeOf(authenticate(header, directory, true, now))).to.equal('current unauthorized');
    });
  }

  for (const [state, key, changes] of [
    ['revoked', (at: number) => ({ revokedAt: at }), () => ({})],
    ['expired', (at: number) => ({ expiresAt: at }), () => ({})],
    ['suspended with its organization', () => ({}), (at: number) => ({ suspendedAt: at })],
  ] as const) {
    for (const [when, at, outcome] of [
      ['a millisecond ago', now - 1, 'variant unauthorized'],
      ['at this instant', now, 'variant unauthorized'],
      ['a millisecond from now', now + 1, 'variant caller'],
    ] as const) {
      it(`returns "${outcome}" for a key ${state} ${when}`, () => {
        const access = authenticate(`Bearer ${variant.text}`, directoryWith(key(at), changes(at)), true, now);
        expect(outcomeOf(access)).to.equal(outcome);
      });
    }
  }

  it('returns the owner of a key it refuses, for known keys only', () => {
    const revoked = directoryWith({ revokedAt: now });
    const ownerIn = (access: Authentication) => 'problem' in access && access.keyOwner?.key.id;
    expect(ownerIn(authenticate(`Bearer ${variant.text}`, revoked, true, now))).to.equal(variant.record.id);
    expect(ownerIn(authenticate(`Bearer ${variant.text}`, directory, false, now))).to.equal(variant.record.id);
    for (const [, header] of [...malformed, ...unknownKeys]) {
      expect(ownerIn(authenticate(header, revoked, true, now))).to.equal(undefined);
    }
  });

  it('refuses a key whose organization does not exist', () => {
    const orphan = buildKeyDirectory({ keys: [variant.record], organizations: [buildOrganization({ id: 'another' })] });
    expect(outcomeOf(authenticate(`Bearer ${variant.text}`, orphan, true, now))).to.equal('current unauthorized');
  });

  it('refuses every key with the same message, which contains no key', () => {
    const revoked = authenticate(`Bearer ${variant.text}`, directoryWith({ revokedAt: now }), true, now);
    const refusals = [...malformed, ...unknownKeys].map(([, header]) => authenticate(header, directory, true, now));
    const messages = [revoked, ...refusals].map((access) =>
      'problem' in access ? access.problem.message : 'accepted',
    );
    expect(new Set(messages)).to.deep.equal(
      new Set(['A valid API key is required: send it as "Authorization: Bearer <API_KEY>".']),
    );
  });

  for (const [keys, loaded, form] of [
    ['too old', directory, 'variant'],
    ['never loaded', undefined, 'current'],
  ] as const) {
    it(`raises unavailable in the ${form} form for a variant key while the keys are ${keys}`, () => {
      expect(outcomeOf(authenticate(`Bearer ${variant.text}`, loaded, false, now))).to.equal(`${form} unavailable`);
    });

    for (const [name, header] of unknownKeys) {
      it(`raises unavailable in the current form for ${name} while the keys are ${keys}`, () => {
        expect(outcomeOf(authenticate(header, loaded, false, now))).to.equal('current unavailable');
      });
    }

    for (const [name, header] of malformed) {
      it(`refuses ${name} while the keys are ${keys}`, () => {
        expect(outcomeOf(authenticate(header, loaded, false, now))).to.equal('current unauthorized');
      });
    }
  }

  it('raises unavailable instead of unauthorized for a revoked key while the keys are too old', () => {
    const access = authenticate(`Bearer ${variant.text}`, directoryWith({ revokedAt: now - 1 }), false, now);
    expect(outcomeOf(access)).to.equal('variant unavailable');
  });
});
