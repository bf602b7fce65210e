import { comparedForms } from '../../../src/crosswalk/forms.ts';
import { casesFolder, fixtureFolder, readSpikeSettings } from '../../../src/runtime/config.ts';
import { type ComparisonCase, readCases } from '../../compare/cases/cases.ts';
import { formatPlan, planRun } from '../../compare/cases/plan.ts';
import { compareSample, sliceCases, walkShortlist } from '../../compare/cases/shortlist.ts';
import { formTitles } from '../../compare/checks/lines.ts';
import type { RunResult } from '../../compare/results.ts';
import { joinRuns, type OnCase, runCases } from '../../compare/run.ts';
import { openEmbeddedTarget } from '../../compare/targets/embedded-target.ts';
import {
  firstRequests,
  keyKindsOfPartners,
  maxPartnerArtists,
  openRunningTarget,
} from '../../compare/targets/running-target.ts';
import type { OpenTarget } from '../../compare/targets/target.ts';
import { readKeys, readPairs } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { type CompareProgress, silentProgress, startCompareProgress } from '../terminal/progress.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type ComparisonRun, compareOneForm } from './one-form.ts';
import type { CompareOptions } from './options.ts';

/** A name with `*` for any text and `?` for any character. */
const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

/** The cases that the names or patterns choose; by default all. */
const chooseCases = (cases: readonly ComparisonCase[], globs: readonly string[]): readonly ComparisonCase[] => {
  const patterns = globs.map(patternOf);
  const unknown = globs.find((_, index) => cases.every(({ name }) => patterns[index]?.test(name) === false));
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.`);
  return patterns.length === 0 ? cases : cases.filter(({ name }) => patterns.some((pattern) => pattern.test(name)));
};

/** The cases of the package and of the folders that the options name, or the named ones among them. */
export const loadCases = async ({
  cases,
  onlyCases,
  case: names,
}: CompareOptions): Promise<readonly ComparisonCase[]> => {
  if (onlyCases && cases.length === 0) throw new UsageError('--only-cases needs --cases.');
  const all = await readCases(...(onlyCases ? [] : [casesFolder]), ...cases).catch((cause: unknown) => {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  return chooseCases(all, names);
};

/** Seeds are short numbers, which are easy to type again. */
const maxSeed = 999_999;

const openTarget = async (options: CompareOptions, { wait }: CompareProgress): Promise<OpenTarget> => {
  const { baseUrl, keysFile, pairs, maxWait, catalogue = fixtureFolder, now } = options;
  const spikes = readSpikeSettings();
  if (baseUrl === undefined) {
    if (keysFile ?? pairs) throw new UsageError('--keys-file and --pairs go with --base-url.');
    return openEmbeddedTarget({ folder: catalogue, now, spikes });
  }
  return openRunningTarget({
    baseUrl,
    keys: await readKeys(keysFile),
    pairs: await readPairs(pairs),
    wait,
    maxWaitSeconds: maxWait,
    spikes,
  });
};

/** Compares the artists of `--sample`, of the known pairs or of the artists that the target knows; none without it. */
const runSample = async (
  { target }: OpenTarget,
  { sample: count, seed = 1 + Math.floor(Math.random() * maxSeed), pairs }: CompareOptions,
  onCase: OnCase,
) => {
  if (count === undefined) return joinRuns([]);
  const known = (await readPairs(pairs)).map((pair) => ({ ...pair, name: '', tier: undefined }));
  return compareSample(target, known.length > 0 ? known : target.knownArtists, { count, seed }, onCase);
};

const compareForms = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions,
  progress: CompareProgress,
): Promise<RunResult> => {
  const open = await openTarget(options, progress);
  try {
    const ran = options.sample === undefined ? await runCases(cases, open.target, progress.onCase) : joinRuns([]);
    const walked = options.all
      ? await walkShortlist(open.target, progress.onCase)
      : await runSample(open, options, progress.onCase);
    return {
      heading: `Both forms of ${open.name}`,
      sides: formTitles,
      target: open.name,
      now: open.now,
      requiredRows: options.requireRows,
      ...joinRuns([{ ...joinRuns([]), notes: open.notes }, ran, walked]),
    };
  } finally {
    await open.close();
  }
};

const partnerTerms = { keyKinds: keyKindsOfPartners, maxArtists: maxPartnerArtists };
const bothFormsTerms = { ...partnerTerms, beforehand: firstRequests };

/** Says how many requests a run sends to a gateway that counts them. */
const announcePlan = (cases: readonly ComparisonCase[], { form, all, sample }: CompareOptions): void => {
  const plan = planRun(cases, form === undefined ? bothFormsTerms : partnerTerms);
  const pages = form === undefined && all ? 'two pages' : 'a page';
  const more = form === undefined || all ? ` More than 100 artists add ${pages} for every further 100.` : '';
  const text = `${formatPlan(plan, form === undefined ? comparedForms : [form])}${more}`;
  note(
    sample === undefined
      ? text
      : `About ${2 * sample} requests, half of them in each form, and one for every 100 artists.`,
  );
};

/** Runs the cases as the options say; `checkFormOptions` has checked them. */
export const runComparison = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions,
): Promise<ComparisonRun> => {
  if (options.baseUrl !== undefined) announcePlan(cases, options);
  const { form, baseUrl } = options;
  const total = cases.length + (options.all ? sliceCases.length : 0);
  const isShort = baseUrl === undefined && !options.all;
  const progress = isShort ? silentProgress : startCompareProgress(total);
  try {
    if (form !== undefined && baseUrl !== undefined)
      return await compareOneForm(cases, { ...options, form, baseUrl }, progress);
    return { result: await compareForms(cases, options, progress) };
  } finally {
    progress.end();
  }
};
