import { expect } from 'chai';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { planRun } from '../../adapters/compare/cases/plan.ts';
import { countUnexpected } from '../../adapters/compare/results.ts';
import { runCases } from '../../adapters/compare/run.ts';
import { firstRequests, keyKindsOfPartners, maxPartnerArtists } from '../../adapters/compare/targets/running-target.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { type DemoFault, type KeyRecord, type Organization, scopes } from '../../src/domain/caller.ts';
import type { KeySource } from '../../src/ports.ts';
import { type CompareKeys, casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { runOn } from '../support/compare/run-on.ts';

const sandbox = createEmbeddedKeys(
  fixtureFolder,
  forms.map(({ name }) => name),
  { sandbox: true },
);

/** Read once for all gateways. */
const catalogue = createEmbeddedCatalogue({
  folder: fixtureFolder,
  clock: createManualClock(),
  rebaseToToday: false,
});

const noKeys = { current: undefined, variant: undefined, override: undefined };

interface PairRun {
  readonly keys: Partial<CompareKeys>;
  readonly source: KeySource;
  readonly faults?: ReadonlyMap<string, DemoFault>;
}

/** Runs all cases with keys on a gateway of their own. */
const comparePair = async (cases: readonly ComparisonCase[], { keys, source, faults = new Map() }: PairRun) => {
  const { requests } = planRun(cases, {
    keyKinds: keyKindsOfPartners,
    maxArtists: maxPartnerArtists,
    beforehand: firstRequests,
  });
  const gateway = { keys: source, demoFaults: faults, source: catalogue };
  const given = { keys: { ...noKeys, ...keys }, cases, requests };
  const ran = await runOn(gateway, given, (target) => runCases(cases, target));
  expect(ran.stopped).to.equal(undefined);
  expect(countUnexpected(ran)).to.equal(0);
  expect(ran.cases).to.not.deep.equal([]);
  return ran.skipped.map(({ reason }) => reason).filter((reason) => !unrelated.test(reason));
};

/** Reasons to skip that no key of a partner changes, or that follow from a scope that another skip names. */
const unrelated =
  /^they need (keys that are made up for them|the whole shortlist of one gateway)$|^nothing in the data is at this border/;

/** What a key leads to in one of the three places: advice, or else the reasons for which cases are skipped. */
type Outcome = { readonly advice: string } | { readonly skips: readonly string[] };

const otherForms = { current: 'variant', variant: 'current' } as const;

/** The quota of these demo keys does not suffice for a run: what is left of it after the first request. */
const tooSmall: Readonly<Record<string, string>> = {
  curTight1: '4 of 5 requests of the day',
  varHourly: '2 of 3 requests of the hour',
  varLast01: '0 of 1 requests of the hour',
};

const expectedOutcome = (
  { id, form, scopes: given, revokedAt, expiresAt, allowEnvelopeOverride: chooses }: KeyRecord,
  place: keyof CompareKeys,
  fault: DemoFault | undefined,
): Outcome => {
  const name = `${place.toUpperCase()}_KEY`;
  if (revokedAt ?? expiresAt ?? (id === 'varSuspen' || undefined)) {
    const asked = `GET /api/v1/artists?limit=100 in the ${place === 'override' ? 'current' : place} form`;
    return { advice: `${name}: ${asked} was answered 401. A valid API key is required` };
  }
  if (fault === 'cut') return { advice: 'cut its answer short' };
  if (fault === 'outage' || fault === 'error') return { advice: `${name}: GET /api/v1/artists` };
  if (place === 'override' ? !chooses : form !== place) {
    const other = place === 'override' ? form : otherForms[place];
    return { advice: `${name} is answered in the ${other} form: give one ` };
  }
  if (tooSmall[id] !== undefined) return { advice: `${name} has ${tooSmall[id]} left, and this run sends about` };
  const lacking = scopes.filter((scope) => !given.includes(scope) && /^(artists|spikes|signings):/.test(scope));
  return {
    skips: [
      ...lacking.map((scope) => `they need ${scope}, which ${name} lacks`),
      ...(chooses ? [`they need a key that may not choose its form, and ${name} may`] : []),
    ],
  };
};

/** Expects the outcome of the first key that is not as it must be, or a run without a difference. */
const expectOutcome = async (run: () => Promise<readonly string[]>, outcomes: readonly Outcome[], what: string) => {
  const advice = outcomes.flatMap((one) => ('advice' in one ? [one.advice] : []));
  const first = advice.find((text) => !text.includes('requests')) ?? advice[0]; // quotas are looked at last
  if (first === undefined) {
    const skips = outcomes.flatMap((one) => ('skips' in one ? one.skips : []));
    const found = new Set(await run());
    expect(
      [...found].filter((reason) => !skips.includes(reason)),
      what,
    ).to.deep.equal([]);
    expect(found.size > 0, what).to.equal(skips.length > 0);
  } else {
    const message = String(await catchError(run));
    expect(message, what).to.include(first);
    expect(message, what).to.not.include('\n');
  }
};

/** A demo key, and what it shows. */
interface GivenKey {
  readonly text: string;
  readonly key: KeyRecord;
  readonly fault: DemoFault | undefined;
}

type GivenPair = Readonly<Partial<Record<keyof CompareKeys, GivenKey>>>;

/** What tells a demo key from others: its form, override, scopes, quotas and expiry, and whatever else keys may have one day. */
const kindOf = ({ key, fault }: GivenKey, organizations: readonly Organization[]): string => {
  const { id: _id, hash: _hash, partner: _partner, createdAt: _createdAt, organizationId, ...traits } = key;
  const { perMinute, perDay, suspendedAt } = organizations.find(({ id }) => id === organizationId) ?? {};
  return JSON.stringify([traits, perMinute, perDay, suspendedAt, fault]);
};

const isAdvised = ({ key, fault }: GivenKey, place: keyof CompareKeys): boolean =>
  'advice' in expectedOutcome(key, place, fault);

/** Each key in both places: beside one that suffices in the other place, and beside one that does not. */
const somePairs = (keys: readonly GivenKey[]): GivenPair[] => {
  const companions = (place: keyof CompareKeys) =>
    [false, true].flatMap((wanted) => keys.find((one) => isAdvised(one, place) === wanted) ?? []);
  return keys.flatMap((key) => [
    ...companions('variant').map((variant) => ({ current: key, variant })),
    ...companions('current').map((current) => ({ current, variant: key })),
  ]);
};

const allPairs = (keys: readonly GivenKey[]): GivenPair[] =>
  keys.flatMap((current) => keys.map((variant) => ({ current, variant })));

/** Whether every demo key is paired with every other one, instead of one key of each kind. */
const isWhole = process.env['COMPARE_PAIRS'] === 'all';

describe('keys of a comparison with a running gateway', function () {
  this.timeout(isWhole ? 1_200_000 : 120_000);
  let cases: readonly ComparisonCase[];
  let keys: readonly GivenKey[];
  let faults: ReadonlyMap<string, DemoFault>;
  before(async () => {
    cases = await readCases(casesFolder);
    // A slow answer takes three real seconds and changes nothing else.
    faults = new Map([...(await sandbox.demoFaults())].filter(([, fault]) => fault !== 'slow'));
    const { organizations } = await sandbox.load();
    const all = (await sandbox.demoKeys()).map((one) => ({ ...one, fault: faults.get(one.key.id) }));
    const kinds = new Map(all.toReversed().map((one) => [kindOf(one, organizations), one]));
    keys = isWhole ? all : [...kinds.values()].reverse();
  });

  const expectPair = async (given: GivenPair) => {
    const places = (['current', 'variant', 'override'] as const).flatMap((place) => {
      const one = given[place];
      return one === undefined ? [] : [{ place, ...one }];
    });
    const texts = Object.fromEntries(places.map(({ place, text }) => [place, text]));
    const outcomes = places.map(({ place, key, fault }) => expectedOutcome(key, place, fault));
    const what = places.map(({ place, key }) => `${place} ${key.id}`).join(', ');
    await expectOutcome(() => comparePair(cases, { keys: texts, source: sandbox, faults }), outcomes, what);
  };

  it(`find no difference or say in one line what to give, for ${isWhole ? 'every pair' : 'pairs of every kind'} of demo keys`, async () => {
    const pairs = isWhole ? allPairs(keys) : somePairs(keys);
    for (const pair of pairs) await expectPair(pair);
    console.log(`      ${pairs.length} pairs of ${keys.length} keys`);
  });

  it('find no difference or say in one line what to give, for each demo key as the override', async () => {
    for (const override of keys) await expectPair({ override });
  });

  describe('as the steps of moving a partner leave them', () => {
    const current = buildKey({ id: 'cur', form: 'current' });
    const steps: readonly (readonly [string, Partial<KeyRecord>, Outcome])[] = [
      ['1, 3 and 4, untouched', {}, { skips: [] }],
      ['2, with a sunset', { sunset: '2027-06-30', deprecatedAt: Date.parse('2026-08-01T00:00:00Z') }, { skips: [] }],
      [
        '5, allowed to try the current form',
        { allowEnvelopeOverride: true },
        { skips: ['they need a key that may not choose its form, and VARIANT_KEY may'] },
      ],
      [
        '6, with room in the quota',
        {},
        { skips: ['they need a key that may not choose its form, and VARIANT_KEY may'] },
      ],
      [
        '7, moved',
        { form: 'current' },
        { advice: 'VARIANT_KEY is answered in the current form: give one of the variant' },
      ],
    ];
    for (const [index, [step, given, outcome]] of steps.entries()) {
      it(`step ${step}`, async () => {
        const changes = steps.slice(0, index).map(([, before]) => before);
        const variant = buildKey({
          id: 'var',
          form: 'variant',
          perHour: undefined,
          ...Object.assign({}, ...changes),
          ...given,
        });
        const source = keySourceOf([current, variant], { perMinute: index < 3 ? undefined : 20, perDay: undefined });
        const run = () => comparePair(cases, { keys: { current: current.text, variant: variant.text }, source });
        await expectOutcome(run, [outcome], step);
      });
    }
  });
});
