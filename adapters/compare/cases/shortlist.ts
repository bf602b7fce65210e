import { createHash } from 'node:crypto';
import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import { tiers } from '../../../src/domain/model.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import type { CasesRun } from '../results.ts';
import { forgetting, joinRuns, type OnCase, runCases } from '../run.ts';
import type { ComparisonTarget } from '../targets/target.ts';
import { type ComparisonCase, type ItemCondition, sideOf } from './cases.ts';
import { type KnownArtist, toKnownArtist } from './placeholders.ts';

/** More pages than any shortlist has. */
const maxPages = 10_000;
/** Maximum number of names in a note; it only counts the others. */
const maxNames = 20;

/** A case about artists that is asked with a key of full access. */
export const caseOf = (given: Pick<ComparisonCase, 'name' | 'asks' | 'current' | 'variant'>): ComparisonCase => ({
  ...{ items: 'artists', key: 'full', history: false, basic: false, detail: false },
  ...given,
});

/** The artists of a tier (or without one) that are signed (or not). */
interface ShortlistSlice {
  readonly tier: string | undefined;
  readonly signed: boolean;
}

const slices: readonly ShortlistSlice[] = [...tiers, undefined].flatMap((tier) => [
  { tier, signed: true },
  { tier, signed: false },
]);

/** The variant form has no filter for artists without a tier: they are selected from its unfiltered list. */
const sliceCase = ({ tier, signed }: ShortlistSlice): ComparisonCase => {
  const tierCondition: ItemCondition = { member: 'tier', ...(tier === undefined ? { absent: true } : { is: tier }) };
  const statusCondition = { member: 'signing.status', ...(signed ? { is: 'signed' } : { isNot: 'signed' }) };
  const filter = tier === undefined ? '' : `tier=${tier}&`;
  return caseOf({
    name: `all-${tier ?? 'without-tier'}-${signed ? 'signed' : 'not-signed'}`,
    asks: `Everybody ${tier === undefined ? 'without a tier' : `of the tier ${tier}`} who is ${signed ? '' : 'not '}signed`,
    current: sideOf('/artists?limit=100', { pages: maxPages, keep: [tierCondition, statusCondition] }),
    variant: sideOf(`/artists?${filter}signed=${signed}&limit=200`, {
      keep: tier === undefined ? [tierCondition] : [],
    }),
  });
};

/** The whole shortlist in parts, as far as the variant form lists it. */
export const sliceCases: readonly ComparisonCase[] = slices.map(sliceCase);

/** A lookup by each form's identifier. */
export const byIdCase = caseOf({
  name: 'all-by-id',
  asks: 'Who lies behind the limit of the variant form, one by one by both identifiers',
  current: sideOf('/artists?id={id}'),
  variant: sideOf('/artists?id={id}'),
});

/** Compares these artists, one by one by both identifiers. */
const compareById = (
  target: ComparisonTarget,
  artists: readonly KnownArtist[],
  onCase?: OnCase,
  named: Partial<ComparisonCase> = {},
): Promise<CasesRun> => {
  const each = artists.length;
  return runCases([{ ...byIdCase, ...named, each }], { ...target, knownArtists: artists, maxArtists: each }, onCase);
};

const formatNames = (items: readonly Json[]): string => {
  const names = items.slice(0, maxNames).map((item) => textAt(item, 'name') ?? '');
  return items.length > maxNames ? `${names.join(', ')} and ${items.length - maxNames} more` : names.join(', ');
};

/**
 * Compares the whole shortlist. The variant form has no cursor, so its list is requested in slices, by tier and by
 * signed; artists beyond the limit of a slice are requested by identifier, where the pair of identifiers is known.
 */
export const walkShortlist = async (target: ComparisonTarget, onCase?: OnCase): Promise<CasesRun> => {
  const sliced = await runCases(sliceCases, target, onCase);
  const beyond = sliced.cases.flatMap(({ beyondLimit }) => beyondLimit);
  const { documentIdOf } = target.knowledge.idPairs;
  const known = beyond.flatMap((item) => toKnownArtist(item, documentIdOf(textAt(item, 'id') ?? '')) ?? []);
  const ids = new Set(known.map(({ current }) => current));
  const unreached = beyond.filter((item) => !ids.has(textAt(item, 'id') ?? ''));
  const total = sliced.cases.reduce((sum, { items }) => sum + items.left, 0);
  const notes = [
    `The whole shortlist: ${total} artists, of which ${total - beyond.length} were reached by tier and signed, ${known.length} by identifier, ${unreached.length} not at all.`,
    ...(unreached.length === 0
      ? []
      : [
          `Behind the 200 of their part in the variant form, with no known pair of identifiers: ${formatNames(unreached)}.`,
        ]),
  ];
  if (known.length === 0) return { ...sliced, notes };
  const byId = await compareById(target, known, forgetting(target.cache.clear, onCase));
  return { ...joinRuns([sliced, byId]), notes };
};

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
