import type { CasesRun, RunResult } from '../results.ts';
import { type OnCase, runCases } from '../run.ts';
import type { ComparisonTarget } from '../targets/target.ts';
import type { KnownArtist } from './placeholders.ts';
import { byIdCase } from './shortlist.ts';

/** A generator of numbers from 0 to 1 that repeats itself for the same seed (linear congruential, modulus 2^32). */
const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Chooses `count` of the items, each as likely as any other; the same ones for the same seed. */
export const chooseSample = <Item>(items: readonly Item[], count: number, seed: number): readonly Item[] => {
  const random = createRandom(seed);
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    const [one, two] = [shuffled[index], shuffled[other]];
    if (one !== undefined && two !== undefined) [shuffled[index], shuffled[other]] = [two, one];
  }
  return shuffled.slice(0, count);
};

/** Compares a sample of the artists whose pairs of identifiers are known, one by one by both identifiers. */
export const compareSample = async (
  target: ComparisonTarget,
  artists: readonly KnownArtist[],
  { count, seed }: { readonly count: number; readonly seed: number },
  onCase?: OnCase,
): Promise<CasesRun & Pick<RunResult, 'notes'>> => {
  const sample = chooseSample(artists, count, seed);
  const notes = [`Sample of ${sample.length} of ${artists.length} artists; --seed ${seed} repeats it.`];
  const each = sample.length;
  const cases = [{ ...byIdCase, name: 'sample-by-id', asks: 'Some artists, one by one by both identifiers', each }];
  const ran = await runCases(cases, { ...target, knownArtists: sample, maxArtists: each }, onCase);
  return { ...ran, notes };
};
