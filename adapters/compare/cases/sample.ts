import { createHash } from 'node:crypto';
import { byCodePoint } from '../../../src/domain/order.ts';
import type { CasesRun } from '../results.ts';
import type { OnCase } from '../run.ts';
import type { ComparisonTarget } from '../targets/target.ts';
import type { KnownArtist } from './placeholders.ts';
import { compareById } from './shortlist.ts';

/** Chooses `count` of the items, each as likely as any other; the same ones for the same seed. */
export const chooseSample = <Item>(items: readonly Item[], count: number, seed: number): readonly Item[] =>
  items
    .map((item, index) => ({ item, rank: createHash('sha256').update(`${seed} ${index}`).digest('base64') }))
    .sort((left, right) => byCodePoint(left.rank, right.rank))
    .slice(0, count)
    .map(({ item }) => item);

/** Compares a sample of the artists whose pairs of identifiers are known, one by one by both identifiers. */
export const compareSample = async (
  target: ComparisonTarget,
  artists: readonly KnownArtist[],
  { count, seed }: { readonly count: number; readonly seed: number },
  onCase?: OnCase,
): Promise<CasesRun> => {
  const sample = chooseSample(artists, count, seed);
  const named = { name: 'sample-by-id', asks: 'Some artists, one by one by both identifiers' };
  const notes = [`Sample of ${sample.length} of ${artists.length} artists; --seed ${seed} repeats it.`];
  return { ...(await compareById(target, sample, onCase, named)), notes };
};
