import { hash } from 'node:crypto';
import { textAt } from '../../../src/domain/json.ts';
import { tiers } from '../../../src/domain/model.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { countOf, sum } from '../../../src/domain/quantities.ts';
import { listNames } from '../reports/values.ts';
import type { CasesRun } from '../results.ts';
import { forgetting, joinRuns, type OnCase, runCases } from '../run.ts';
import type { ComparisonTarget } from '../targets/target.ts';
import { type ComparisonCase, createSide, type ItemCondition } from './cases.ts';
import { type KnownArtist, toKnownArtist } from './placeholders.ts';

/** More pages than any shortlist has. */
const maxPages = 10_000;
/** Maximum number of names in a note. */
const maxNames = 20;

export const caseOf = (
  given: Pick<ComparisonCase, 'name' | 'asks' | 'current' | 'variant'>,
): ComparisonCase => ({
  items: 'artists',
  key: 'full',
  ...given,
});

/**
 * The artists of a tier (or without one) that are signed (or not). The variant form has no filter
 * for artists without a tier: they are selected from its unfiltered list.
 */
const sliceCase = (tier: string | undefined, signed: boolean): ComparisonCase => {
  const tierCondition: ItemCondition = {
    member: 'tier',
    ...(tier === undefined ? { absent: true } : { is: tier }),
  };
  const statusCondition = {
    member: 'signing.status',
    ...(signed ? { is: 'signed' } : { isNot: 'signed' }),
  };
  const filter = tier === undefined ? '' : `tier=${tier}&`;
  return caseOf({
    name: `all-${tier ?? 'without-tier'}-${signed ? 'signed' : 'not-signed'}`,
    asks: `Artists ${tier === undefined ? 'without a tier' : `of the tier ${tier}`}, ${signed ? '' : 'not '}signed`,
    current: createSide('/artists?limit=100', {
      pages: maxPages,
      keep: [tierCondition, statusCondition],
    }),
    variant: createSide(`/artists?${filter}signed=${signed}&limit=200`, {
      keep: tier === undefined ? [tierCondition] : [],
    }),
  });
};

export const sliceCases: readonly ComparisonCase[] = [...tiers, undefined].flatMap((tier) => [
  sliceCase(tier, true),
  sliceCase(tier, false),
]);

const byIdCase = caseOf({
  name: 'all-by-id',
  asks: 'Artists beyond the limit of the variant form, one by one by both identifiers',
  current: createSide('/artists?id={id}'),
  variant: createSide('/artists?id={id}'),
});

const compareEach = (
  target: ComparisonTarget,
  one: ComparisonCase,
  artists: readonly KnownArtist[],
  onCase?: OnCase,
) => {
  const each = artists.length;
  return runCases(
    [{ ...one, each }],
    { ...target, knownArtists: artists, maxArtists: each },
    onCase,
  );
};

/**
 * Compares the whole shortlist. The variant form has no cursor, so its list is requested in slices,
 * by tier and by signed; artists beyond the limit of a slice are requested by identifier, where the
 * pair of identifiers is known.
 */
export const walkShortlist = async (
  target: ComparisonTarget,
  onCase?: OnCase,
): Promise<CasesRun> => {
  const sliced = await runCases(sliceCases, target, onCase);
  const total = sum(sliced.cases.map(({ items }) => items.left));
  const { documentIdOf } = target.knowledge.idPairs;
  const beyond = sliced.cases
    .flatMap(({ beyondLimit }) => beyondLimit)
    .map((item) => ({ item, artist: toKnownArtist(item, documentIdOf(textAt(item, 'id') ?? '')) }));
  const known = beyond.flatMap(({ artist }) => artist ?? []);
  const unreached = beyond.flatMap(({ item, artist }) =>
    artist === undefined ? (textAt(item, 'name') ?? '') : [],
  );
  const counts = `${total - beyond.length} reached by tier and signed, ${known.length} by identifier, ${unreached.length} not at all`;
  const notes = [`The whole shortlist, ${countOf(total, 'artist')}: ${counts}.`];
  if (unreached.length > 0) {
    const who = listNames(unreached, maxNames);
    notes.push(
      `Beyond the 200 of their slice in the variant form, with no known pair of identifiers: ${who}.`,
    );
  }
  if (known.length === 0) return { ...sliced, notes };
  const byId = await compareEach(target, byIdCase, known, forgetting(target.forgetReplies, onCase));
  return { ...joinRuns([sliced, byId]), notes };
};

/**
 * Chooses `count` of the artists, each as likely as any other. The same seed chooses the same ones,
 * also after others were added.
 */
export const chooseSample = <Artist extends Pick<KnownArtist, 'current'>>(
  artists: readonly Artist[],
  count: number,
  seed: number,
): readonly Artist[] =>
  artists
    .map((artist) => ({ artist, rank: hash('sha256', `${seed} ${artist.current}`, 'base64') }))
    .sort((left, right) => byCodePoint(left.rank, right.rank))
    .slice(0, count)
    .map(({ artist }) => artist);

/**
 * Compares a sample of the artists whose pairs of identifiers are known, one by one by both
 * identifiers.
 */
export const compareSample = async (
  target: ComparisonTarget,
  artists: readonly KnownArtist[],
  { count, seed }: { readonly count: number; readonly seed: number },
  onCase?: OnCase,
): Promise<CasesRun> => {
  const sample = chooseSample(artists, count, seed);
  const one = {
    ...byIdCase,
    name: 'sample-by-id',
    asks: 'Some artists, one by one by both identifiers',
  };
  const notes = [
    `Sample of ${sample.length} of ${artists.length} artists; --sample ${count}:${seed} repeats it.`,
  ];
  return { ...(await compareEach(target, one, sample, onCase)), notes };
};
