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

/** The form of the key's owner (the first form answers everybody else), and what came of it. */
const said = (access: Authentication): string =>
  'caller' in access
    ? `${access.caller.key.form} caller`
    : `${access.keyOwner?.key.form ?? 'current'} ${access.problem.kind}`;

/** The variant key and its organization, changed. */
const directoryWith = (key: Partial<KeyRecord>, changes: Partial<Organization> = {}): KeyDirectory =>
  buildKeyDirectory({ keys: [{ ...variant.record, ...key }], organizations: [buildOrganization(changes)] });

const strangers = [
  ['no header', undefined],
  ['an empty header', ''],
  ['a scheme alone', 'Bearer'],
  ['a scheme and a blank', 'Bearer '],
  ['a key without a scheme', variant.text],
  ['another scheme', `Basic ${variant.text}`],
  ['a scheme that only begins alike', `Bearers ${variant.text}`],
  ['a colon behind the scheme', `Bearer: ${variant.text}`],
  ['two keys', `Bearer ${variant.text} ${current.text}`],
  ['a key with a wrong check', `Bearer ${variant.text.slice(0, -1)}-`],
  ['a text that is no key', 'Bearer secret'],
] as const;

const unjudged = [
  ['a key nobody issued', `Bearer ${unknown}`],
  ['a key with a wrong secret', `Bearer ${wrongSecret}`],
] as const;

describe('access', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ', 'Bearer    ']) {
    it(`lets a key in that is sent with the scheme "${scheme}"`, () => {
      expect(said(authenticate(`${scheme} ${variant.text}`, directory, true, now))).to.equal('variant caller');
      expect(said(authenticate(`${scheme} ${current.text}`, directory, true, now))).to.equal('current caller');
    });
  }

  it('tells the key, the organization and the scopes of the caller', () => {
    expect(authenticate(`Bearer ${variant.text}`, directory, true, now)).to.deep.equal({
      caller: { key: variant.record, organization, scopes: new Set(['artists:read', 'spikes:read']) },
    });
  });

  for (const [what, header] of [...strangers, ...unjudged]) {
    it(`refuses ${what} in the current form`, () => {
      expect(said(authenticate(header, directory, true, now))).to.equal('current unauthorized');
    });
  }

  for (const [what, key, changes] of [
    ['revoked', (at: number) => ({ revokedAt: at }), () => ({})],
    ['expired', (at: number) => ({ expiresAt: at }), () => ({})],
    ['suspended with its organization', () => ({}), (at: number) => ({ suspendedAt: at })],
  ] as const) {
    for (const [when, at, outcome] of [
      ['a millisecond ago', now - 1, 'variant unauthorized'],
      ['at this instant', now, 'variant unauthorized'],
      ['a millisecond from now', now + 1, 'variant caller'],
    ] as const) {
      it(`answers "${outcome}" for a key ${what} ${when}`, () => {
        const found = authenticate(`Bearer ${variant.text}`, directoryWith(key(at), changes(at)), true, now);
        expect(said(found)).to.equal(outcome);
      });
    }
  }

  it('tells whose key it refuses, when it was issued, and of no other', () => {
    const revoked = directoryWith({ revokedAt: now });
    const issuedIn = (access: Authentication) => 'problem' in access && access.keyOwner?.key.id;
    expect(issuedIn(authenticate(`Bearer ${variant.text}`, revoked, true, now))).to.equal(variant.record.id);
    expect(issuedIn(authenticate(`Bearer ${variant.text}`, directory, false, now))).to.equal(variant.record.id);
    for (const [, header] of [...strangers, ...unjudged]) {
      expect(issuedIn(authenticate(header, revoked, true, now))).to.equal(undefined);
    }
  });

  it('refuses a key whose organization is not there', () => {
    const orphan = buildKeyDirectory({ keys: [variant.record], organizations: [buildOrganization({ id: 'another' })] });
    expect(said(authenticate(`Bearer ${variant.text}`, orphan, true, now))).to.equal('current unauthorized');
  });

  it('refuses every key with the same words, which hold no key', () => {
    const revoked = authenticate(`Bearer ${variant.text}`, directoryWith({ revokedAt: now }), true, now);
    const refusals = [...strangers, ...unjudged].map(([, header]) => authenticate(header, directory, true, now));
    const messages = [revoked, ...refusals].map((access) => ('problem' in access ? access.problem.message : 'let in'));
    expect(new Set(messages)).to.deep.equal(
      new Set(['A valid API key is required: send it as "Authorization: Bearer <API_KEY>".']),
    );
  });

  for (const [keys, loaded, form] of [
    ['too old', directory, 'variant'],
    ['never loaded', undefined, 'current'],
  ] as const) {
    it(`is unavailable in the ${form} form for a variant key while the keys are ${keys}`, () => {
      expect(said(authenticate(`Bearer ${variant.text}`, loaded, false, now))).to.equal(`${form} unavailable`);
    });

    for (const [what, header] of unjudged) {
      it(`is unavailable in the current form for ${what} while the keys are ${keys}`, () => {
        expect(said(authenticate(header, loaded, false, now))).to.equal('current unavailable');
      });
    }

    for (const [what, header] of strangers) {
      it(`refuses ${what} as ever while the keys are ${keys}`, () => {
        expect(said(authenticate(header, loaded, false, now))).to.equal('current unauthorized');
      });
    }
  }

  it('does not refuse a revoked key as wrong while the keys are too old', () => {
    const found = authenticate(`Bearer ${variant.text}`, directoryWith({ revokedAt: now - 1 }), false, now);
    expect(said(found)).to.equal('variant unavailable');
  });
});
