import { expect } from 'chai';
import { buildKey } from '../support/builders.ts';
import {
  expectRefusal,
  expectUsageError,
  keyDocument,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';

const now = '2026-11-21T12:00:00.000Z';
const missingScopes = /^A key of the variant form needs .*: add spikes:read, signings:read\.$/;
const { text } = buildKey({ id: 'abc123' });

/** Commands that are refused with exit code 1, and why. */
const refused: readonly (readonly [words: string, why: RegExp])[] = [
  ...['show K', 'revoke K', 'rotate K --overlap 1d', 'set K --partner P'].map(
    (words) => [`keys ${words.replace('K', 'gone1')}`, /^There is no key gone1: /] as const,
  ),
  ['keys revoke revoked1', /^Key revoked1 has been revoked since .*: nothing was changed\.$/],
  ['keys rotate revoked1 --overlap 1d', /has been revoked since .*: issue a key instead\.$/],
  ['keys sunset revoked1 --on 2027-06-30', /has been revoked since .*: nothing was changed\.$/],
  [
    'keys set revoked1 --partner P',
    /^Key revoked1 has been revoked since .*: nothing was changed\.$/,
  ],
  ['keys pin revoked1 --form current --reason r', /has been revoked since /],
  ['keys pin revoked1 --form variant --reason r', /has been revoked since /],
  ['keys pin narrow1 --form variant --reason r', missingScopes],
  ['keys set variant1 --scopes artists:read', missingScopes],
  [
    'keys issue --organization acme --form variant --partner P --scopes artists:read',
    missingScopes,
  ],
  ['keys set narrow1 --per-hour 5', /^A key of the current form counts against its organization: /],
  ['keys sunset variant1 --on 2026-11-20', /^2026-11-20 is not after today, 2026-11-21 \(UTC\)/],
  ['keys sunset variant1 --on 2026-11-21', /^2026-11-21 is not after today/],
  ['keys sunset narrow1 --on 2027-06-30', /^Only the variant form announces a sunset/],
  ['organizations suspend other', /^There is no organization other: /],
  ['organizations resume other', /^There is no organization other: /],
  ['organizations resume acme', /^acme is not suspended: nothing was changed\.$/],
  ['usage --organization other', /^There is no organization other: /],
  ['migration report other', /^There is no organization or key other: /],
  ['quota reset key:acme', /^There is no key acme: /],
];

/** Commands that are called incorrectly: exit code 2. */
const misused: readonly (readonly [words: string, why: RegExp])[] = [
  [
    'keys issue --organization acme --form variant --partner P --scopes artists:read --expires 2020-01-01',
    /^2020-01-01 has already begun/,
  ],
  ['keys pin variant1 --form current', /Give the reason with --reason/],
  ['keys pin variant1 --form other --reason r', /Allowed choices are current, variant/],
  ['keys sunset variant1', /required option '--on <day>'/],
  ['keys sunset variant1 --on 2027-02-29', /It must be a day, like 2027-06-30/],
  ['organizations set other', /pass --name to create it/],
  ['organizations set a}b --name A', /must be 1 to 64 letters/],
  ['quota replay silent --per-hour 5', /^No key of this organization has a limit per hour\. /],
];

/** Every command that stores text, and `keys show`, with a key in one place. */
const withKeyText = `keys show TEXT
organizations set TEXT --name Acme
organizations set acme --name TEXT
organizations set acme --name Acme --reason TEXT
organizations suspend acme --reason TEXT
organizations resume acme --actor TEXT
keys issue --organization TEXT --form current --partner P
keys issue --organization acme --form current --partner TEXT
keys set abc123 --partner TEXT
keys rotate abc123 --overlap 1d --reason TEXT
keys revoke abc123 --reason TEXT
keys pin abc123 --form current --reason TEXT
keys sunset abc123 --on never --reason TEXT
quota reset acme --reason TEXT`.split('\n');

describe('a refused command changes nothing, and', () => {
  const operator = useOperatorEnvironment({ settings: { FIXED_NOW: now } });
  const stored = () =>
    Promise.all(
      ['organizations', 'api_keys', 'key_log'].map((name) =>
        operator.collection(name).find({}).toArray(),
      ),
    );
  let planted: Awaited<ReturnType<typeof stored>>;

  before(async () => {
    await operator.collection('organizations').insertMany([
      { _id: 'acme', name: 'Acme' },
      { _id: 'silent', name: 'Silent' },
    ]);
    await operator
      .collection('api_keys')
      .insertMany([
        keyDocument({ id: 'variant1', form: 'variant' }),
        keyDocument({ id: 'revoked1', form: 'variant', revokedAt: Date.parse(now) }),
        keyDocument({ id: 'narrow1', scopes: ['artists:read'] }),
      ]);
    planted = await stored();
  });
  afterEach(async () => {
    expect(await stored()).to.deep.equal(planted);
  });

  it('exits with 1 and says why', async () => {
    for (const [words, why] of refused) expectRefusal(await operator.run(words), why);
  });

  it('exits with 2 and says what to give', async () => {
    for (const [words, why] of misused) expectUsageError(await operator.run(words), why);
  });

  it('exits with 2 for a key in an argument, and does not repeat it', async () => {
    for (const words of withKeyText) {
      const ran = await operator.run(words.replace('TEXT', text));
      const advice =
        /[Rr]efer to (the key|it) by its id, abc123\. .+: rotate it with --overlap 0s\.$/;
      expectUsageError(ran, advice);
      expect(ran.stderr, words).not.to.include(text);
    }
  });
});
