import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import type { CompareKeys } from '../../src/runtime/config.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { countUnexpected } from '../../tools/compare/results.ts';
import { runCases } from '../../tools/compare/run.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { readNamed } from '../support/compare/open-target.ts';
import { runOn } from '../support/compare/run-on.ts';
import { demoKey } from '../support/documents.ts';

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

/** The demo keys that a comparison is given, by id. */
type GivenKeys = Partial<Record<keyof CompareKeys, string>>;

const pair = (current: string, variant: string): GivenKeys => ({ current, variant });

/**
 * Reasons to skip that no key of a partner changes, or that follow from a scope that another skip
 * names.
 */
const unrelated =
  /^they need (keys that are made up for them|the whole shortlist, which this run does not have)$|^nothing in the data is at this boundary/;

const refused = (name: string, form: string) =>
  `${name}: GET /api/v1/artists?limit=100 in the ${form} form was answered 401. A valid API key is required`;
const mayChoose = (name: string) => `they need a key that may not choose its form, and ${name} may`;

/** With these keys every other case is compared, without a difference. */
const sufficient: readonly (readonly [GivenKeys, ...skips: string[]])[] = [
  [pair('curFull01', 'varFull01')],
  [
    pair('curArts01', 'qaVariant'),
    'they need spikes:read, which CURRENT_KEY lacks',
    'they need signings:read, which CURRENT_KEY lacks',
  ],
  [
    pair('curSpikes', 'varFull01'),
    'they need artists:read, which CURRENT_KEY lacks',
    'they need signings:read, which CURRENT_KEY lacks',
    'they need an artist, and there is none',
  ],
  [pair('curSwitch', 'varFull01'), mayChoose('CURRENT_KEY')],
  [pair('curFull01', 'varSwitch'), mayChoose('VARIANT_KEY')],
  [{ override: 'curSwitch' }, mayChoose('OVERRIDE_KEY')],
  [{ override: 'varSwitch' }, mayChoose('OVERRIDE_KEY')],
];

const insufficient: readonly (readonly [GivenKeys, advice: string])[] = [
  [pair('curRevoke', 'varFull01'), refused('CURRENT_KEY', 'current')],
  [pair('curFull01', 'varSuspen'), refused('VARIANT_KEY', 'variant')],
  [{ override: 'varRevoke' }, refused('OVERRIDE_KEY', 'current')],
  [pair('curCutOff', 'varFull01'), 'cut its answer short'],
  [pair('curOutage', 'varFull01'), 'CURRENT_KEY: GET /api/v1/artists'],
  [pair('varFull01', 'varFull01'), 'CURRENT_KEY is answered in the variant form'],
  [pair('curFull01', 'curFull01'), 'VARIANT_KEY is answered in the current form'],
  [{ current: 'curFull01', override: 'curFull01' }, 'OVERRIDE_KEY is answered in the current form'],
];

describe('keys of a comparison with a running gateway', () => {
  /** Runs all cases with keys on a gateway of their own. */
  const compareWith = async ({ current, variant, override }: GivenKeys) => {
    const textOf = (id: string | undefined) => (id === undefined ? undefined : demoKey(id));
    const keys = { current: textOf(current), variant: textOf(variant), override: textOf(override) };
    const gateway = { keys: sandbox, demoFaults: await sandbox.demoFaults(), source: catalogue };
    const cases = await readNamed();
    return runOn(gateway, { keys }, (target) => runCases(cases, target));
  };

  const runsAll = process.env['EXAMPLE_RUNS'] === 'all';
  for (const [given, ...skips] of sufficient.filter((_, index) => runsAll || index % 3 === 0)) {
    it(`find no difference with ${JSON.stringify(given)}`, async () => {
      const ran = await compareWith(given);
      expect(ran.stopped).to.equal(undefined);
      expect(countUnexpected(ran)).to.equal(0);
      expect(ran.cases).to.not.deep.equal([]);
      const reasons = new Set(
        ran.skipped.map(({ reason }) => reason).filter((reason) => !unrelated.test(reason)),
      );
      expect([...reasons]).to.have.members(skips);
    });
  }

  for (const [given, advice] of insufficient) {
    it(`say in one line what to give instead of ${JSON.stringify(given)}`, async () => {
      expect(String(await catchError(() => compareWith(given))))
        .to.include(advice)
        .and.not.include('\n');
    });
  }
});
