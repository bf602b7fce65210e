import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import { tiers } from '../../../src/domain/model.ts';
import type { Compare } from '../checks/comparison.ts';
import { type ComparisonTarget, type Ran, runCases } from '../run.ts';
import type { ComparisonCase, Condition, SideOfCase } from './cases.ts';
import type { KnownArtist } from './placeholders.ts';

/** More pages than any shortlist has. */
const allPages = 10_000;

const sideOf = (ask: string, more: Partial<SideOfCase> = {}): SideOfCase => ({
  ask,
  method: 'GET',
  headers: {},
  pages: 1,
  keep: [],
  adjusted: [],
  reads: {},
  ...more,
});

const caseOf = (given: Pick<ComparisonCase, 'name' | 'asks' | 'current' | 'variant'> & Partial<ComparisonCase>) => ({
  items: 'artists' as const,
  key: 'full' as const,
  history: false,
  basic: false,
  detail: false,
  ...given,
});

interface Part {
  readonly tier: string | undefined;
  readonly signed: boolean;
}

const parts: readonly Part[] = [...tiers, undefined].flatMap((tier) => [
  { tier, signed: true },
  { tier, signed: false },
]);

const nameOf = ({ tier, signed }: Part): string => `all-${tier ?? 'without-tier'}-${signed ? 'signed' : 'not-signed'}`;

/** The variant form cannot ask for artists without a tier: these are picked from what it shows without one. */
const partCase = (part: Part): ComparisonCase => {
  const { tier, signed } = part;
  const ofTier: Condition = tier === undefined ? { member: 'tier', absent: true } : { member: 'tier', is: tier };
  const ofStatus = { member: 'signing.status', ...(signed ? { is: 'signed' } : { isNot: 'signed' }) };
  const filter = tier === undefined ? '' : `tier=${tier}&`;
  return caseOf({
    name: nameOf(part),
    asks: `Everybody ${tier === undefined ? 'without a tier' : `of the tier ${tier}`} who is ${signed ? '' : 'not '}signed`,
    current: sideOf('/artists?limit=100', { pages: allPages, keep: [ofTier, ofStatus] }),
    variant: sideOf(`/artists?${filter}signed=${signed}&limit=200`, { keep: tier === undefined ? [ofTier] : [] }),
  });
};

/** What a walk through the whole shortlist came to, and what it could not reach. */
export interface Walked extends Ran {
  readonly notes: readonly string[];
}

/** Names told one by one; of more, only how many there are. */
const mostNames = 20;

const tellNames = (items: readonly Json[]): string => {
  const names = items.slice(0, mostNames).map((item) => textAt(item, 'name') ?? '');
  return items.length > mostNames ? `${names.join(', ')} and ${items.length - mostNames} more` : names.join(', ');
};

const toKnown = (item: Json, subject: ComparisonTarget): KnownArtist[] => {
  const [id, name] = [textAt(item, 'id'), textAt(item, 'name')];
  const documentId = id && subject.knowledge.identities.documentIdOf(id);
  if (id === undefined || name === undefined || documentId === undefined || documentId === '') return [];
  return [{ current: id, variant: documentId, name, tier: textAt(item, 'tier') }];
};

const lookUpCase = caseOf({
  name: 'all-by-id',
  asks: 'Who lies behind the limit of the variant form, one by one by both identifiers',
  current: sideOf('/artists?id={id}'),
  variant: sideOf('/artists?id={id}'),
});

/**
 * Goes through the whole shortlist. The variant form has no cursor, so it is asked for one part after the other, by tier
 * and by signed; who lies behind the limit of a part is looked up by identifier, where the pair of identifiers is known.
 */
export const walkShortlist = async (
  subject: ComparisonTarget,
  compare: Compare,
  onCase?: (asked: ComparisonCase) => void,
): Promise<Walked> => {
  const partly = await runCases(parts.map(partCase), subject, compare, onCase);
  const behind = partly.cases.flatMap(({ outOfReach }) => outOfReach);
  const known = behind.flatMap((item) => toKnown(item, subject));
  const ids = new Set(known.map(({ current }) => current));
  const lost = behind.filter((item) => !ids.has(textAt(item, 'id') ?? ''));
  const looked =
    known.length === 0
      ? { cases: [], skipped: [], stopped: undefined }
      : await runCases(
          [{ ...lookUpCase, each: known.length }],
          { ...subject, known, samples: known.length },
          compare,
          onCase,
        );
  const total = partly.cases.reduce((sum, { items }) => sum + items.current, 0);
  const notes = [
    `The whole shortlist: ${total} artists, of which ${total - behind.length} were reached by tier and signed, ${known.length} by identifier, ${lost.length} not at all.`,
    ...(lost.length === 0
      ? []
      : [`Behind the 200 of their part in the variant form, with no known pair of identifiers: ${tellNames(lost)}.`]),
  ];
  return {
    cases: [...partly.cases, ...looked.cases],
    skipped: [...partly.skipped, ...looked.skipped],
    stopped: partly.stopped ?? looked.stopped,
    notes,
  };
};

/** How many cases the walk has at least. */
export const shortlistCases = parts.length;
