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

/** Headers without a key, with the query, and how the message for each explains it. */
const malformed: readonly (readonly [
  what: string,
  header: string | undefined,
  query: string,
  message: RegExp,
])[] = [
  ['no header', undefined, 'limit=5', /^An API key is required, in one Authorization header/],
  ['a key in the query', undefined, 'limit=5&api_key=secret', /^A key in the query is never read/],
  [
    'a key in a parameter of any name',
    undefined,
    `auth=${variant.text}`,
    /^A key in the query is never read/,
  ],
  ['another scheme', `Basic ${variant.text}`, '', /must be Bearer/],
  ['a scheme with "Bearer" as its prefix', `Bearers ${variant.text}`, '', /must be Bearer/],
  ['a tab after the scheme', `Bearer\t${variant.text}`, '', /must be Bearer/],
  ['a scheme alone', 'Bearer', '', /^No key follows "Bearer"/],
  ['quotes', `Bearer "${variant.text}"`, '', /in quotes/],
  ['a quote', `Bearer '${variant.text}`, '', /in quotes/],
  ['a shell variable', 'Bearer $ARTIST_API_KEY', '', /variable or placeholder/],
  ['a template', 'Bearer {{bearerToken}}', '', /variable or placeholder/],
  ['a placeholder', 'Bearer <API_KEY>', '', /variable or placeholder/],
  ['two keys', `Bearer ${variant.text} ${current.text}`, '', /^More than a key follows/],
  ['a text that is not a key', 'Bearer secret', '', /^This is not the shape of a key/],
  ['a mistyped key', `Bearer ${variant.text.slice(0, -1)}-`, '', /^This is not the shape of a key/],
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
  describe('during a trial of the current form', () => {
    const until = now + 1_800_000;
    const trying = { trial: { form: 'current', until } } as const;
    const at = (instant: number, key: Partial<KeyRecord> = {}, fresh = true) =>
      authenticate(`Bearer ${variant.text}`, directoryWith({ ...trying, ...key }), fresh, instant);

    it('serves the key in that form before its end, and in its own form from then on', () => {
      expect(outcomeOf(at(until - 1))).to.equal('current caller');
      expect(outcomeOf(at(until))).to.equal('variant caller');
    });

    it('changes nothing else of the caller', () => {
      const [before, after] = [at(until - 1), at(until)];
      if (!('caller' in before && 'caller' in after)) throw new Error('refused');
      expect(before.caller).to.deep.equal({
        ...after.caller,
        key: { ...after.caller.key, form: 'current' },
      });
    });

    it('refuses a revoked key, and says that keys cannot be judged, in that form too', () => {
      const revoked = { revokedAt: now };
      expect(outcomeOf(at(until - 1, revoked))).to.equal('current unauthorized');
      expect(outcomeOf(at(until, revoked))).to.equal('variant unauthorized');
      expect(outcomeOf(at(until - 1, {}, false))).to.equal('current unavailable');
      expect(outcomeOf(at(until, {}, false))).to.equal('variant unavailable');
    });

    it('refuses a key without an organization, and says that an unreadable one cannot be judged, in that form too', () => {
      const { id, hash, form, organizationId } = variant.record;
      const unreadable = [{ id, hash, form, organizationId, ...trying }];
      const record = { ...variant.record, ...trying };
      const others = [buildOrganization({ id: 'org_other' })];
      for (const [records, problem] of [
        [{ keys: [record], organizations: others }, 'unauthorized'],
        [{ keys: [record], organizations: others, unreadable }, 'unavailable'],
        [{ keys: [current.record], organizations: [organization], unreadable }, 'unavailable'],
      ] as const) {
        const keys = buildKeyDirectory(records);
        const outcome = (instant: number) =>
          outcomeOf(authenticate(`Bearer ${variant.text}`, keys, true, instant));
        expect(outcome(until - 1)).to.equal(`current ${problem}`);
        expect(outcome(until)).to.equal(`variant ${problem}`);
      }
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

  it('refuses a text whose form or check is wrong, also when its hash is stored', () => {
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

  it('refuses unknown keys, in the current form, as it refuses issued ones that ended: with one message', () => {
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

  it('counts a revocation and a suspension whatever instant they hold, and only an expiry as a schedule', () => {
    const outcomes = (at: number) =>
      [
        directoryWith({ revokedAt: at }),
        directoryWith({}, { suspendedAt: at }),
        directoryWith({ expiresAt: at }),
      ].map((keys) => outcomeOf(authenticate(`Bearer ${variant.text}`, keys, true, now)));
    const [refused, accepted] = ['variant unauthorized', 'variant caller'];
    for (const at of [now + 1, now + 300_000, Date.parse('9999-12-31')])
      expect(outcomes(at)).to.deep.equal([refused, refused, accepted]);
    for (const at of [0, now - 1, now])
      expect(outcomes(at)).to.deep.equal([refused, refused, refused]);
  });

  it('raises unavailable for any text with the id of a key whose hash cannot be read', () => {
    const { id, form, organizationId } = variant.record;
    const unreadable = [{ id, hash: undefined, form, organizationId }];
    const keys = buildKeyDirectory({
      keys: [current.record],
      organizations: [organization],
      unreadable,
    });
    const outcome = (text: string) => outcomeOf(authenticate(`Bearer ${text}`, keys, true, now));
    expect(outcome(wrongSecret)).to.equal('variant unavailable');
    expect(outcome(wrongSecret.slice(0, -1))).to.equal('current unauthorized');
  });

  it('raises unavailable while the keys are too old, in the form of a revoked key, else in the current form', () => {
    const revoked = directoryWith({ revokedAt: now - 1 });
    expect(outcomeOf(authenticate(`Bearer ${variant.text}`, revoked, false, now))).to.equal(
      'variant unavailable',
    );
    for (const text of unknownKeys)
      for (const keys of [directory, undefined])
        expect(outcomeOf(authenticate(`Bearer ${text}`, keys, false, now)), text).to.equal(
          'current unavailable',
        );
  });
});
