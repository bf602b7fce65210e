import { randomInt } from 'node:crypto';
import { readSpikeSettings } from '../../../src/runtime/config.ts';
import { casesFolder, fixtureFolder } from '../../../src/runtime/folders.ts';
import { type ComparisonCase, readCases } from '../../compare/cases/cases.ts';
import { compareSample, sliceCases, walkShortlist } from '../../compare/cases/shortlist.ts';
import { formTitles } from '../../compare/checks/lines.ts';
import type { CasesRun, RunResult } from '../../compare/results.ts';
import { joinRuns, type OnCase, runCases } from '../../compare/run.ts';
import { openEmbeddedTarget } from '../../compare/targets/embedded-target.ts';
import { openRunningTarget } from '../../compare/targets/running-target.ts';
import type { ComparisonTarget } from '../../compare/targets/target.ts';
import { storeSettings } from '../settings.ts';
import { UsageError } from '../terminal/messages.ts';
import { readKeys, readPairs } from './inputs.ts';
import { type ComparisonRun, compareOneForm } from './one-form.ts';
import type { CompareOptions } from './options.ts';
import { type CompareProgress, silentProgress, startCompareProgress } from './progress.ts';

const wildcards: Readonly<Record<string, string>> = { '*': '.*', '?': '.' };

const patternOf = (glob: string): RegExp =>
  new RegExp(`^${glob.replaceAll(/\W/g, (sign) => wildcards[sign] ?? `\\${sign}`)}$`);

const chooseCases = (
  cases: readonly ComparisonCase[],
  globs: readonly string[],
): readonly ComparisonCase[] => {
  const patterns = globs.map(patternOf);
  const unknown = globs.find((_, index) =>
    cases.every(({ name }) => patterns[index]?.test(name) === false),
  );
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.`);
  return patterns.length === 0
    ? cases
    : cases.filter(({ name }) => patterns.some((pattern) => pattern.test(name)));
};

/**
 * The cases of the package and of the folders that the options name, or the named ones among them.
 */
export const loadCases = async ({
  cases,
  case: names,
}: CompareOptions): Promise<readonly ComparisonCase[]> => {
  const all = await readCases(casesFolder, ...cases).catch((cause: unknown) => {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  return chooseCases(all, names);
};

const openTarget = async (
  options: CompareOptions,
  { wait }: CompareProgress,
): Promise<ComparisonTarget> => {
  const { baseUrl, pairs, maxWait, catalogue = fixtureFolder } = options;
  const spikes = readSpikeSettings();
  if (baseUrl === undefined) {
    if (pairs !== undefined) throw new UsageError('--pairs goes with --base-url.');
    return openEmbeddedTarget({ folder: catalogue, now: storeSettings().fixedNow, spikes });
  }
  const given = { baseUrl, keys: readKeys(), pairs: await readPairs(pairs) };
  return openRunningTarget({ ...given, wait, maxWaitSeconds: maxWait, spikes });
};

/**
 * Compares a sample of the artists in `--pairs`, otherwise of the artists that the target knows.
 * Seeds are short, so that they can be typed.
 */
const runSample = async (
  target: ComparisonTarget,
  { count, seed = randomInt(1, 1_000_000) }: NonNullable<CompareOptions['sample']>,
  { pairs }: CompareOptions,
  onCase: OnCase,
): Promise<CasesRun> => {
  const known = (await readPairs(pairs)).map((pair) => ({ ...pair, name: '', tier: undefined }));
  return compareSample(
    target,
    known.length > 0 ? known : target.knownArtists,
    { count, seed },
    onCase,
  );
};

const compareForms = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions,
  progress: CompareProgress,
): Promise<RunResult> => {
  const { sample, all } = options;
  const { onCase } = progress;
  const target = await openTarget(options, progress);
  const { name, now, notes } = target;
  try {
    const runs = [
      sample === undefined
        ? await runCases(cases, target, onCase)
        : await runSample(target, sample, options, onCase),
    ];
    if (all) runs.push(await walkShortlist(target, onCase));
    const joined = joinRuns(runs);
    return {
      ...joined,
      notes: [...notes, ...joined.notes],
      heading: `Both forms of ${name}`,
      sides: formTitles,
      target: name,
      now,
    };
  } finally {
    await target.close();
  }
};

/** Runs the cases as the options say; `checkFormOptions` has checked them. */
export const runComparison = async (
  cases: readonly ComparisonCase[],
  options: CompareOptions,
): Promise<ComparisonRun> => {
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
