import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import type { ComparisonCase } from './cases/cases.ts';
import type { CaseFocus } from './cases/placeholders.ts';
import { askSide } from './cases/send-request.ts';
import { compareResponses } from './checks/comparison.ts';
import { type CaseResult, type CaseRound, type CasesRun, type SkippedCase, toCaseResult } from './results.ts';
import { QuotaWaitExceeded } from './targets/client.ts';
import type { ComparisonTarget } from './targets/target.ts';

const needsArtist = ({ current, variant, each }: ComparisonCase): boolean =>
  each !== undefined || /\{(id|other-id|name|NAME|small-name|tier)\}/.test(JSON.stringify([current, variant]));

const fociOf = ({ each = 1 }: ComparisonCase, target: ComparisonTarget): readonly CaseFocus[] => {
  const { today, knownArtists, maxArtists } = target;
  const artists = knownArtists.slice(0, Math.min(each, maxArtists));
  return artists.length === 0 ? [{ today, artist: undefined }] : artists.map((artist) => ({ today, artist }));
};

/** Why a running gateway is not asked some cases. */
export const needsMadeUpKeys = 'they need keys that are made up for them';

const skipReason = (
  comparisonCase: ComparisonCase,
  { keyKinds, knownArtists }: ComparisonTarget,
): string | undefined => {
  if (!keyKinds.has(comparisonCase.key)) return needsMadeUpKeys;
  return needsArtist(comparisonCase) && knownArtists.length === 0
    ? 'they need an artist, and there is none'
    : undefined;
};

const runRounds = async (comparisonCase: ComparisonCase, target: ComparisonTarget) => {
  const rounds: CaseRound[] = [];
  const ask = (form: ComparedForm, focus: CaseFocus) => {
    const send = comparisonCase[form].times === undefined ? target.cache.send : target.send;
    return askSide(send, form, comparisonCase.key, comparisonCase[form], focus);
  };
  for (const focus of fociOf(comparisonCase, target)) {
    const [current, variant] = await Promise.all([ask('current', focus), ask('variant', focus)]);
    const responses = { current, variant };
    rounds.push({ responses, comparison: compareResponses(comparisonCase, responses, target.knowledge) });
  }
  return rounds;
};

/** Runs one case, and again if it shows a difference and data may have changed between the two answers. */
const runCase = async (comparisonCase: ComparisonCase, target: ComparisonTarget): Promise<CaseResult> => {
  const first = toCaseResult(comparisonCase, await runRounds(comparisonCase, target), 1);
  if (first.unexpected.length === 0 || !target.dataMayChange) return first;
  target.cache.clear();
  return toCaseResult(comparisonCase, await runRounds(comparisonCase, target), 2);
};

/** Raised while a case runs, when it turns out that it cannot be compared. */
export class CaseSkipped extends Error {}

/** How a case is run, and why it is left out; `undefined` when it is not. */
export interface CaseRunner {
  skipReason(comparisonCase: ComparisonCase): string | undefined;
  runCase(comparisonCase: ComparisonCase): Promise<CaseResult>;
}

/** Runs cases one after the other. Stops when a quota is used up for too long. */
export const runEach = async (
  cases: readonly ComparisonCase[],
  { skipReason: reasonOf, runCase: run }: CaseRunner,
  onCase: (comparisonCase: ComparisonCase) => void = () => {},
): Promise<CasesRun> => {
  const results: CaseResult[] = [];
  const skipped: SkippedCase[] = [];
  let stopped: string | undefined;
  for (const comparisonCase of cases) {
    onCase(comparisonCase);
    const reason = stopped === undefined ? reasonOf(comparisonCase) : 'a quota is spent';
    if (reason !== undefined) {
      skipped.push({ name: comparisonCase.name, reason });
      continue;
    }
    try {
      results.push(await run(comparisonCase));
    } catch (error) {
      const isSkipped = error instanceof CaseSkipped;
      if (!isSkipped && !(error instanceof QuotaWaitExceeded)) throw error;
      if (!isSkipped) stopped = error.message;
      skipped.push({ name: comparisonCase.name, reason: isSkipped ? error.message : 'a quota is spent' });
    }
  }
  return { cases: results, skipped, stopped };
};

/** Runs cases and compares the answers of both forms. */
export const runCases = (
  cases: readonly ComparisonCase[],
  target: ComparisonTarget,
  onCase?: (comparisonCase: ComparisonCase) => void,
): Promise<CasesRun> =>
  runEach(cases, { skipReason: (one) => skipReason(one, target), runCase: (one) => runCase(one, target) }, onCase);
