import type { Day } from '../../src/domain/day.ts';
import type { ComparisonCase, KeyKind } from './cases/cases.ts';
import type { Focus, KnownArtist } from './cases/placeholders.ts';
import { limitOf } from './cases/ranges.ts';
import { askForm, type SendRequest } from './cases/send-request.ts';
import type { Compare, Knowledge } from './checks/comparison.ts';
import { type CaseResult, type Round, type SkippedCase, toCaseResult } from './results.ts';
import type { ResponseCache } from './targets/response-cache.ts';
import { QuotaWaitExceeded } from './targets/retry-after.ts';

/** What cases are put to, and what is known of it. */
export interface ComparisonTarget {
  readonly ask: SendRequest;
  readonly memory: ResponseCache;
  readonly today: Day;
  /** Artists of the shortlist from its top, as placeholders mean them. */
  readonly known: readonly KnownArtist[];
  readonly knowledge: Knowledge;
  /** Kinds of keys that requests can be made with. */
  readonly keys: ReadonlySet<KeyKind>;
  /** At most so many artists are asked for where a case asks for each. */
  readonly samples: number;
  /** Whether data may change between two answers: then a difference is asked for again before it counts. */
  readonly changes: boolean;
}

export interface Ran {
  readonly cases: readonly CaseResult[];
  readonly skipped: readonly SkippedCase[];
  /** Why the run ended before its last case, if it did. */
  readonly stopped?: string | undefined;
}

const needsArtist = ({ current, variant, each }: ComparisonCase): boolean =>
  each !== undefined || /\{(id|other-id|name|NAME|small-name|tier)\}/.test(JSON.stringify([current, variant]));

const fociOf = (asked: ComparisonCase, { today, known, samples }: ComparisonTarget): readonly Focus[] => {
  const artists = known.slice(0, Math.min(asked.each ?? 1, samples));
  return artists.length === 0 ? [{ today, artist: undefined }] : artists.map((artist) => ({ today, artist }));
};

const whyNot = (asked: ComparisonCase, subject: ComparisonTarget): string | undefined => {
  if (!subject.keys.has(asked.key)) return 'they need keys that are made up for them';
  return needsArtist(asked) && subject.known.length === 0 ? 'they need an artist, and there is none' : undefined;
};

const runRounds = async (asked: ComparisonCase, subject: ComparisonTarget, compare: Compare) => {
  const rounds: Round[] = [];
  for (const focus of fociOf(asked, subject)) {
    const { current, variant } = asked;
    const askFor = (times: number | undefined) => (times === undefined ? subject.memory.ask : subject.ask);
    const [ours, theirs] = await Promise.all([
      askForm(askFor(current.times), 'current', asked.key, current, focus, limitOf),
      askForm(askFor(variant.times), 'variant', asked.key, variant, focus, limitOf),
    ]);
    const answers = { current: ours, variant: theirs };
    rounds.push({ answers, compared: compare(asked, answers, subject.knowledge) });
  }
  return rounds;
};

/** Runs one case; a second time, when data may have changed between the two answers. */
const runCase = async (asked: ComparisonCase, subject: ComparisonTarget, compare: Compare): Promise<CaseResult> => {
  const first = toCaseResult(asked, await runRounds(asked, subject, compare), 1);
  if (first.unexpected.length === 0 || !subject.changes) return first;
  subject.memory.forget();
  return toCaseResult(asked, await runRounds(asked, subject, compare), 2);
};

/** Puts every case to a subject, one after the other, and compares the answers; until a quota is spent for too long. */
export const runCases = async (
  cases: readonly ComparisonCase[],
  subject: ComparisonTarget,
  compare: Compare,
  onCase: (asked: ComparisonCase) => void = () => {},
): Promise<Ran> => {
  const results: CaseResult[] = [];
  const skipped: SkippedCase[] = [];
  let stopped: string | undefined;
  for (const asked of cases) {
    onCase(asked);
    const reason = stopped === undefined ? whyNot(asked, subject) : 'a quota is spent';
    if (reason !== undefined) {
      skipped.push({ name: asked.name, reason });
      continue;
    }
    try {
      results.push(await runCase(asked, subject, compare));
    } catch (error) {
      if (!(error instanceof QuotaWaitExceeded)) throw error;
      stopped = error.message;
      skipped.push({ name: asked.name, reason: 'a quota is spent' });
    }
  }
  return { cases: results, skipped, stopped };
};
