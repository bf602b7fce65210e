import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import type { KeyRecord, Organization, UnreadableKey } from '../../src/domain/caller.ts';
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
    : `${access.keyOwner?.form ?? 'current'} ${access.problem.kind}`;

/** A directory with the variant key and its organization, changed. */
const directoryWith = (key: Partial<KeyRecord>, changes: Partial<Organization> = {}): KeyDirectory =>
  buildKeyDirectory({ keys: [{ ...variant.record, ...key }], organizations: [buildOrganization(changes)] });

/** Headers without a key, with the query, and how the message for each explains it. */
const malformed: readonly (readonly [what: string, header: string | undefined, query: string, message: RegExp])[] = [
  ['no header', undefined, 'limit=5', /^An API key is required, in one Authorization header/],
  ['a key in the query', undefined, 'limit=5&api_key=secret', /^A key in the query is never read/],
  ['a key in a parameter of any name', undefined, `auth=${variant.text}`, /^A key in the query is never read/],
  ['an empty header', '', '', /must be Bearer/],
  ['another scheme', `Basic ${variant.text}`, '', /must be Bearer/],
  ['a scheme with "Bearer" as its prefix', `Bearers ${variant.text}`, '', /must be Bearer/],
  ['a colon after the scheme', `Bearer: ${variant.text}`, '', /must be Bearer/],
  ['no space after the scheme', `Bearer${variant.text}`, '', /must be Bearer/],
  ['a key without a scheme', variant.text, '', /must be Bearer/],
  ['a scheme alone', 'Bearer', '', /^No key follows "Bearer"/],
  ['a scheme and a space', 'Bearer ', '', /^No key follows "Bearer"/],
  ['quotes', `Bearer "${variant.text}"`, '', /in quotes/],
  ['a quote', `Bearer '${variant.text}`, '', /in quotes/],
  ['a shell variable', 'Bearer $ARTIST_API_KEY', '', /variable or placeholder/],
  ['a braced variable', `Bearer ${'$'}{ARTIST_API_KEY}`, '', /variable or placeholder/],
  ['a template', 'Bearer {{bearerToken}}', '', /variable or placeholder/],
  ['a placeholder', 'Bearer <API_KEY>', '', /variable or placeholder/],
  ['two keys', `Bearer ${variant.text} ${current.text}`, '', /^More than a key follows/],
  ['a word after the key', `Bearer ${variant.text} x`, '', /^More than a key follows/],
  ['a text that is not a key', 'Bearer secret', '', /^This is not the shape of a key/],
  ['a mistyped key', `Bearer ${variant.text.slice(0, -1)}-`, '', /^This is not the shape of a key/],
  ['a comma after the key', `Bearer ${variant.text},`, '', /^This is not the shape of a key/],
  ['a key in capitals', `Bearer ${variant.text.toUpperCase()}`, '', /^This is not the shape of a key/],
  ['the id of a key', `Bearer ${variant.record.id}`, '', /^This is not the shape of a key/],
];

const unknownKeys = [
  ['an unknown key', `Bearer ${unknown}`],
  ['a key with a wrong secret', `Bearer ${wrongSecret}`],
  ['a key with the id "constructor"', `Bearer ${keyText('constructor', 'z'.repeat(43))}`],
] as const;

/** The hashes and comparisons that some work makes, in order. */
const cryptographyOf = (work: () => void): readonly string[] => {
  const { hash, timingSafeEqual } = crypto;
  const calls: string[] = [];
  const note = <Arguments extends unknown[], Result>(name: string, call: (...given: Arguments) => Result) => {
    return (...given: Arguments): Result => {
      calls.push(name);
      return call(...given);
    };
  };
  Object.assign(crypto, { hash: note('hash', hash), timingSafeEqual: note('compare', timingSafeEqual) });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(crypto, { hash, timingSafeEqual });
    syncBuiltinESMExports();
  }
  return calls;
};

describe('authentication', () => {
  it('hashes and compares as often for an unknown id as for a known one', () => {
    const [known, ghost, unloaded] = [wrongSecret, unknown, unknown].map((text, index) =>
      cryptographyOf(() => authenticate(`Bearer ${text}`, index === 2 ? undefined : directory, true, now)),
    );
    expect(known).to.include.members(['hash', 'compare']);
    expect(ghost).to.deep.equal(known);
    expect(unloaded).to.deep.equal(known);
  });

  it('returns the key, the organization and the scopes of the caller', () => {
    expect(authenticate(`Bearer ${variant.text}`, directory, true, now)).to.deep.equal({
      caller: { key: variant.record, organization, scopes: new Set(['artists:read', 'spikes:read']) },
    });
  });

  for (const [name, header] of unknownKeys) {
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
    const ownerIn = (access: Authentication) => 'problem' in access && access.keyOwner?.id;
    expect(ownerIn(authenticate(`Bearer ${variant.text}`, revoked, true, now))).to.equal(variant.record.id);
    expect(ownerIn(authenticate(`Bearer ${variant.text}`, directory, false, now))).to.equal(variant.record.id);
    for (const [, header] of unknownKeys) {
      expect(ownerIn(authenticate(header, revoked, true, now))).to.equal(undefined);
    }
  });

  it('refuses a key whose organization does not exist', () => {
    const orphan = buildKeyDirectory({ keys: [variant.record], organizations: [buildOrganization({ id: 'another' })] });
    expect(outcomeOf(authenticate(`Bearer ${variant.text}`, orphan, true, now))).to.equal('current unauthorized');
  });

  it('raises unavailable in the form of a key that cannot be judged, for the right secret only', () => {
    const { id, hash, form, organizationId } = variant.record;
    const directoryOf = (given: Partial<UnreadableKey>): KeyDirectory =>
      buildKeyDirectory({
        keys: [current.record],
        organizations: [organization],
        unreadable: [{ id, hash, form, organizationId, ...given }],
      });
    const outcome = (given: Partial<UnreadableKey>, text = variant.text) =>
      outcomeOf(authenticate(`Bearer ${text}`, directoryOf(given), true, now));
    expect(outcome({})).to.equal('variant unavailable');
    expect(outcome({ form: undefined })).to.equal('current unavailable');
    expect(outcome({ id: undefined })).to.equal('variant unavailable');
    expect(outcome({}, wrongSecret)).to.equal('current unauthorized');
    expect(outcome({ hash: undefined }, wrongSecret)).to.equal('variant unavailable');
    expect(outcome({ hash: undefined }, wrongSecret.slice(0, -1))).to.equal('current unauthorized');
    expect(outcome({ id: undefined, hash: undefined })).to.equal('current unauthorized');
    expect(outcome({}, current.text)).to.equal('current caller');
  });

  it('raises unavailable for every text of a key while there is no key or no organization', () => {
    for (const empty of [
      buildKeyDirectory({ keys: [], organizations: [organization] }),
      buildKeyDirectory({ keys: [variant.record], organizations: [] }),
    ]) {
      expect(outcomeOf(authenticate(`Bearer ${variant.text}`, empty, true, now))).to.equal('current unavailable');
      expect(outcomeOf(authenticate('Bearer secret', empty, true, now))).to.equal('current unauthorized');
    }
  });

  const messageOf = (access: Authentication): string => ('problem' in access ? access.problem.message : 'accepted');

  it('refuses unknown, revoked, expired and suspended keys with one message', () => {
    const refusals = [
      ...unknownKeys.map(([, header]) => authenticate(header, directory, true, now)),
      ...[
        directoryWith({ revokedAt: now }),
        directoryWith({ expiresAt: now }),
        directoryWith({}, { suspendedAt: now }),
      ].map((keys) => authenticate(`Bearer ${variant.text}`, keys, true, now)),
    ];
    expect(refusals.map(messageOf)).to.deep.equal(refusals.map(() => 'A valid API key is required: this one is not.'));
  });

  for (const [what, header, query, expected] of malformed) {
    it(`refuses ${what} however old the keys are, and explains it by what was sent`, () => {
      for (const [keys, fresh] of [
        [directory, true],
        [directory, false],
        [undefined, false],
      ] as const) {
        const access = authenticate(header, keys, fresh, now, query);
        expect(outcomeOf(access)).to.equal('current unauthorized');
        expect(messageOf(access))
          .to.match(expected)
          .and.to.not.match(/secret|aik_|ARTIST|limit/);
      }
    });
  }

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
  }

  it('raises unavailable instead of unauthorized for a revoked key while the keys are too old', () => {
    const access = authenticate(`Bearer ${variant.text}`, directoryWith({ revokedAt: now - 1 }), false, now);
    expect(outcomeOf(access)).to.equal('variant unavailable');
  });
});
