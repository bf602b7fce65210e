import { addDays, type Day, daysBetween } from '../../../src/domain/day.ts';
import { numberAt, textAt } from '../../../src/domain/json.ts';
import type { Boundary, ComparisonCase } from '../cases/cases.ts';
import type { SkippedCase } from '../results.ts';
import type { WholeShortlist } from './list-check.ts';
import {
  aboveThreshold,
  expectedSpikes,
  isHalfUp,
  isTrusted,
  maxDays,
  type PointPair,
  pairOf,
  seriesOf,
  slackDays,
} from './spikes.ts';

/**
 * A candidate for a boundary case, with its measurements. An unknown measurement is `NaN`, which is
 * in no range.
 */
interface Candidate {
  /** An artist, or an artist and a metric. */
  readonly at: string;
  readonly days: number;
  readonly limit: number;
  readonly pages?: number;
  readonly quantities: Readonly<Record<string, number>>;
}

/** The ranges of a spike, unless a boundary has others. */
const spikeRanges: Boundary = {
  growth: [0, Number.POSITIVE_INFINITY],
  floor: [1, Number.POSITIVE_INFINITY],
  age: [0, slackDays],
  beyond: [0, slackDays],
  trusted: [1, 1],
};

/** Windows in days. Windows of many cases come first, because their replies are cached. */
const windows = [...new Set([3, 7, 1, 4, maxDays, ...Array(maxDays).keys()])].filter(
  (days) => days > 0,
);

/**
 * Every pair of points that a search for spikes might compare, even by mistake: untrusted points,
 * points of tomorrow, points of a shorter window.
 */
function* spikeCandidates({ artists, spikes }: WholeShortlist, today: Day): Iterable<Candidate> {
  const all = seriesOf(artists, () => true).filter(({ points }) => points.length > 1);
  const trusted = all.map((series) => ({ ...series, points: series.points.filter(isTrusted) }));
  const toCandidate = (days: number, pair: PointPair | undefined, isTrusted = 1): Candidate[] => {
    if (pair === undefined) return [];
    const { artist, metric, previous, current, to, apart } = pair;
    const [growth, age] = [aboveThreshold(pair, spikes), daysBetween(to, today)];
    const quantities = {
      growth,
      floor: previous / spikes.floor,
      age,
      beyond: apart - days,
      trusted: isTrusted,
      half: Number(isHalfUp(previous, current)),
    };
    return [{ at: `${textAt(artist, 'id')} ${metric}`, days, limit: Number.NaN, quantities }];
  };
  for (const days of windows) {
    for (const [index, series] of trusted.entries()) {
      const pair = pairOf(series, days, today);
      const withAll = pairOf(all[index] ?? series, days, today);
      yield* toCandidate(days, pair);
      yield* toCandidate(days, pairOf(series, days, addDays(today, 1)));
      if (days > 1) yield* toCandidate(days, pairOf(series, days - 1, today));
      if (withAll?.to !== pair?.to) yield* toCandidate(days, withAll, 0);
    }
  }
}

/**
 * Every two neighbours of a list of spikes with the same growth; `tie` is 1 if their metrics are
 * not in the order of their artists' identifiers.
 */
function* tieCandidates({ artists, spikes }: WholeShortlist, today: Day): Iterable<Candidate> {
  for (const days of windows) {
    const listed = expectedSpikes(artists, { days, today, settings: spikes });
    for (const [index, spike] of listed.entries()) {
      const next = listed[index + 1];
      const isAlike = (member: string) => numberAt(spike, member) === numberAt(next, member);
      if (next === undefined || !isAlike('percent_change') || !isAlike('delta')) continue;
      const [at, metric] = [textAt(spike, 'artist_id') ?? '', textAt(spike, 'metric') ?? ''];
      const isReversed =
        at !== textAt(next, 'artist_id') && metric > (textAt(next, 'metric') ?? '');
      yield {
        at: `${at} ${metric}`,
        days,
        limit: Number.NaN,
        quantities: { tie: Number(isReversed) },
      };
    }
  }
}

/**
 * The greatest limit with which a page ends after `count` artists, in at most 9 pages; `NaN` when
 * there is none.
 */
const limitAfter = (count: number): number =>
  [...Array(101).keys()].findLast(
    (limit) => count % limit === 0 && count / limit <= 9 && count > 0,
  ) ?? Number.NaN;

function* artistCandidates({ artists }: WholeShortlist, today: Day): Iterable<Candidate> {
  for (const [index, artist] of [...artists, undefined].entries()) {
    const added = textAt(artist, 'date_added');
    const days = added === undefined ? Number.NaN : daysBetween(added, today);
    const limit = limitAfter(index);
    const quantities = {
      added: days,
      before: index,
      limit,
      same_day: Number(added === textAt(artists[index - 1], 'date_added')),
      known_day: Number(added !== undefined),
      left: artists.length - index,
      signed: Number(textAt(artist, 'signing.status') === 'signed'),
    };
    const pages = Math.min(index / limit + 1, Math.ceil(artists.length / limit));
    yield { at: textAt(artist, 'id') ?? 'the end', days, limit, pages, quantities };
  }
}

const findBoundaries = (
  boundaries: ReadonlyMap<string, Boundary>,
  candidates: Iterable<Candidate>,
) => {
  const found = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const isWithin = ([quantity, [low, high]]: readonly [
      string,
      readonly [number, number],
    ]): boolean => {
      const value = candidate.quantities[quantity] ?? Number.NaN;
      return value >= low && value <= high;
    };
    for (const [name, boundary] of boundaries)
      if (!found.has(name) && Object.entries(boundary).every(isWithin)) found.set(name, candidate);
    if (found.size === boundaries.size) break;
  }
  return found;
};

const fillIn = (
  { boundary: _boundary, ...rest }: ComparisonCase,
  candidate: Candidate,
): ComparisonCase => {
  const { at, days, limit, pages = 1 } = candidate;
  const numbers: Readonly<Record<string, number>> = {
    days,
    limit,
    reach: Math.min(200, pages * limit),
  };
  const current = rest.current.ask.includes('{limit}') ? { ...rest.current, pages } : rest.current;
  return JSON.parse(
    JSON.stringify({ ...rest, current, asks: `${rest.asks}: ${at}` }).replaceAll(
      /\{(days|limit|reach)(?:-(\d+))?\}/g,
      (_match, name: string, less = '0') => String((numbers[name] ?? 0) - Number(less)),
    ),
  );
};

/**
 * Fills in the numbers of boundary cases. Skips cases without a candidate. Without a shortlist,
 * returns the cases as they are.
 */
export const placeBoundaries = (
  cases: readonly ComparisonCase[],
  whole: WholeShortlist | undefined,
  today: Day,
) => {
  const skipped: SkippedCase[] = [];
  if (whole === undefined) return { cases, skipped };
  const boundariesOf = (kind: 'spike' | 'tie' | 'artist', ranges: Boundary) => {
    const wanted = cases.filter(({ items, boundary }) => {
      const ofSpikes = boundary?.['tie'] === undefined ? 'spike' : 'tie';
      return boundary && (items === 'spikes' ? ofSpikes : 'artist') === kind;
    });
    return new Map(wanted.map(({ name, boundary }) => [name, { ...ranges, ...boundary }]));
  };
  const found = new Map([
    ...findBoundaries(boundariesOf('spike', spikeRanges), spikeCandidates(whole, today)),
    ...findBoundaries(boundariesOf('tie', {}), tieCandidates(whole, today)),
    ...findBoundaries(boundariesOf('artist', {}), artistCandidates(whole, today)),
  ]);
  const placed = cases.flatMap((one) => {
    const candidate = found.get(one.name);
    if (one.boundary === undefined) return [one];
    if (candidate !== undefined) return [fillIn(one, candidate)];
    const { example = 'the example catalogue has it' } = one;
    const reason = `nothing in the data is at this boundary (${example})`;
    skipped.push({ name: one.name, reason });
    return [];
  });
  return { cases: placed, skipped };
};
