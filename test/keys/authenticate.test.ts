import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import {
  type Authentication,
  authenticate,
  buildKeyDirectory,
  type KeyDirectory,
} from '../../src/keys/authenticate.ts';
import { keyHash, keyText } from '../../src/keys/key-format.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00.000Z');
const current = buildKey({ id: 'cur' });
const variant = buildKey({ id: 'var', form: 'variant', scopes: ['artists:read', 'spikes:read'] });
const organization = buildOrganization();
const directory = buildKeyDirectory({
  keys: [current.record, variant.record],
  organizations: [organization],
});

const unknown = keyText('ghost', 'S'.repeat(43));
const wrongSecret = keyText('var', 'T'.repeat(43));

/** The form of the key's owner (without an owner the first form), and the outcome. */
const outcomeOf = (access: Authentication): string =>
  'caller' in access
    ? `${access.caller.key.form} caller`
    : `${access.keyOwner?.form ?? 'current'} ${access.problem.kind}`;

/** A directory with the variant key and its organization, changed. */
const directoryWith = (
  key: Partial<KeyRecord>,
  changes: Partial<Organization> = {},
): KeyDirectory =>
  buildKeyDirectory({
    keys: [{ ...variant.record, ...key }],
    organizations: [buildOrganization(changes)],
  });

/** Headers without a key, and how the message for each explains it. */
const malformed: readonly (readonly [
  header: string | undefined,
  message: RegExp,
  query?: string,
])[] = [
  [undefined, /^An API key is required, in one Authorization header/, 'limit=5'],
  [undefined, /^A key in the query is never read/, 'limit=5&api_key=secret'],
  [undefined, /^A key in the query is never read/, `auth=${variant.text}`],
  [`Basic ${variant.text}`, /must be Bearer/],
  [`Bearers ${variant.text}`, /must be Bearer/],
  [`Bearer\t${variant.text}`, /must be Bearer/],
  ['Bearer', /^No key follows "Bearer"/],
  [`Bearer "${variant.text}"`, /in quotes/],
  [`Bearer '${variant.text}`, /in quotes/],
  ['Bearer $ARTIST_API_KEY', /variable or placeholder/],
  ['Bearer {{bearerToken}}', /variable or placeholder/],
  ['Bearer <API_KEY>', /variable or placeholder/],
  [`Bearer ${variant.text} ${current.text}`, /^More than a key follows/],
  ['Bearer secret', /^This is not the shape of a key/],
  [`Bearer ${variant.text.slice(0, -1)}-`, /^This is not the shape of a key/],
];

/** A key that was never issued, one with a wrong secret, and one whose id every object has. */
const unknownKeys = [unknown, wrongSecret, keyText('constructor', 'z'.repeat(43))];

/** The hashes and comparisons that some work makes, in order. */
const cryptographyOf = (work: () => void): readonly string[] => {
  const { hash, timingSafeEqual } = crypto;
  const calls: string[] = [];
  const note = <Arguments extends unknown[], Result>(
    name: string,
    call: (...given: Arguments) => Result,
  ) => {
    return (...given: Arguments): Result => {
      calls.push(name);
      return call(...given);
    };
  };
  Object.assign(crypto, {
    hash: note('hash', hash),
    timingSafeEqual: note('compare', timingSafeEqual),
  });
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
  it('changes only the form of the caller during a trial', () => {
    const trying = { trial: { form: 'current', until: now + 1 } } as const;
    const [during, after] = [now, now + 1].map((instant) =>
      authenticate(`Bearer ${variant.text}`, directoryWith(trying), true, instant),
    );
    const { caller } = Object(after);
    expect(during).to.deep.equal({
      caller: { ...caller, key: { ...caller.key, form: 'current' } },
    });
  });

  it('hashes and compares as often for an unknown id as for a known one', () => {
    const [known, ghost, unloaded] = [wrongSecret, unknown, unknown].map((text, index) =>
      cryptographyOf(() =>
        authenticate(`Bearer ${text}`, index === 2 ? undefined : directory, true, now),
      ),
    );
    expect(known).to.include.members(['hash', 'compare']);
    expect(ghost).to.deep.equal(known);
    expect(unloaded).to.deep.equal(known);
  });

  const messageOf = (access: Authentication): string =>
    'problem' in access ? access.problem.message : 'accepted';

  it('refuses a header without a key, and explains it by what was sent', () => {
    for (const [header, expected, query = ''] of malformed)
      for (const [keys, fresh] of [
        [directory, true],
        [directory, false],
        [undefined, false],
      ] as const) {
        const access = authenticate(header, keys, fresh, now, query);
        expect(outcomeOf(access), header).to.equal('current unauthorized');
        expect(messageOf(access))
          .to.match(expected)
          .and.to.not.match(/secret|aik_|ARTIST|limit/);
      }
  });

  it('refuses a text of another form or checksum, even if its hash is stored', () => {
    const digit = variant.text.endsWith('0') ? '1' : '0';
    for (const text of [variant.text.slice(0, -1) + digit, variant.text.slice(0, -1), 'secret']) {
      const access = authenticate(
        `Bearer ${text}`,
        directoryWith({ hash: keyHash(text) }),
        true,
        now,
      );
      expect(outcomeOf(access), text).to.equal('current unauthorized');
    }
  });

  it('refuses unknown and ended keys with one message', () => {
    const ended = [
      directoryWith({ revokedAt: now }),
      directoryWith({ expiresAt: now }),
      directoryWith({}, { suspendedAt: now }),
    ];
    const refusals = [
      ...unknownKeys.map((text) => authenticate(`Bearer ${text}`, directory, true, now)),
      ...ended.map((keys) => authenticate(`Bearer ${variant.text}`, keys, true, now)),
    ];
    expect(refusals.map(outcomeOf)).to.deep.equal([
      ...unknownKeys.map(() => 'current unauthorized'),
      ...Array.from({ length: 3 }, () => 'variant unauthorized'),
    ]);
    expect(refusals.map(messageOf)).to.deep.equal(
      refusals.map(() => 'A valid API key is required: this one is not.'),
    );
  });

  it('raises unavailable while the keys are too old, in the form of the key', () => {
    const trial = { form: 'current', until: now + 1 } as const;
    for (const [form, given] of [
      ['variant', { revokedAt: now - 1 }],
      ['current', { trial }],
    ] as const) {
      const access = authenticate(`Bearer ${variant.text}`, directoryWith(given), false, now);
      expect(outcomeOf(access)).to.equal(`${form} unavailable`);
    }
    for (const text of unknownKeys)
      for (const keys of [directory, undefined])
        expect(outcomeOf(authenticate(`Bearer ${text}`, keys, false, now)), text).to.equal(
          'current unavailable',
        );
  });
});
