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

const skipReason = (
  comparisonCase: ComparisonCase,
  { keyKinds, knownArtists }: ComparisonTarget,
): string | undefined => {
  if (!keyKinds.has(comparisonCase.key)) return 'they need keys that are made up for them';
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

/** Runs cases one after the other and compares the answers. Stops when a quota is used up for too long. */
export const runCases = async (
  cases: readonly ComparisonCase[],
  target: ComparisonTarget,
  onCase: (comparisonCase: ComparisonCase) => void = () => {},
): Promise<CasesRun> => {
  const results: CaseResult[] = [];
  const skipped: SkippedCase[] = [];
  let stopped: string | undefined;
  for (const comparisonCase of cases) {
    onCase(comparisonCase);
    const reason = stopped === undefined ? skipReason(comparisonCase, target) : 'a quota is spent';
    if (reason !== undefined) {
      skipped.push({ name: comparisonCase.name, reason });
      continue;
    }
    try {
      results.push(await runCase(comparisonCase, target));
    } catch (error) {
      if (!(error instanceof QuotaWaitExceeded)) throw error;
      stopped = error.message;
      skipped.push({ name: comparisonCase.name, reason: 'a quota is spent' });
    }
  }
  return { cases: results, skipped, stopped };
};
