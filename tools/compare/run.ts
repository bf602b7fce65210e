import type { Day } from '../../src/domain/day.ts';
import { textAt } from '../../src/domain/json.ts';
import type { ComparedForm } from '../migration/mapping/forms.ts';
import { CaseSkipped, type ComparisonCase } from './cases/cases.ts';
import type { CaseFocus } from './cases/placeholders.ts';
import { askSide, type SideResponse } from './cases/send-request.ts';
import { placeBoundaries } from './checks/boundaries.ts';
import { compareResponses } from './checks/comparison.ts';
import type { ItemComparison } from './checks/items.ts';
import { type Sides, toSides, violation } from './checks/lines.ts';
import { itemTables } from './checks/row-ids.ts';
import {
  addRound,
  type CaseResult,
  type CasesRun,
  emptyResult,
  type SkippedCase,
} from './results.ts';
import { RunEnded } from './targets/client.ts';
import type { ComparisonTarget } from './targets/target.ts';

interface AskedCase {
  readonly responses: Sides<SideResponse>;
  readonly compare: () => ItemComparison;
}

/** How cases are run: about which artists, and how the two sides of one are asked and compared. */
export interface CaseRunner extends Pick<ComparisonTarget, 'knownArtists' | 'maxArtists'> {
  readonly today: Day;
  ask(comparisonCase: ComparisonCase, focus: CaseFocus): Promise<AskedCase>;
  /**
   * Forgets cached replies, so that a case with a difference is asked again; `undefined` where data
   * cannot change.
   */
  readonly forget: (() => void) | undefined;
}

const fociOf = (
  { each = 1, boundary }: ComparisonCase,
  { today, knownArtists, maxArtists }: CaseRunner,
): CaseFocus[] => {
  if (boundary !== undefined)
    throw new CaseSkipped('they need the whole shortlist, which this run does not have');
  const artists = knownArtists.slice(0, Math.min(each, maxArtists));
  return artists.length === 0
    ? [{ today, artist: undefined }]
    : artists.map((artist) => ({ today, artist }));
};

/** Compares. If a check throws, its case gets a difference, and the other cases still run. */
const compareOrReport = (compare: AskedCase['compare']): ItemComparison => {
  try {
    return compare();
  } catch (error) {
    const causes = [error, error instanceof Error ? error.cause : undefined].filter(
      (one) => one !== undefined,
    );
    const line = violation(
      'Every check ends without an error.',
      `The check threw ${causes.join(', ')}`,
    );
    return { blocks: [{ title: 'Response', lines: [line] }], beyondLimit: [] };
  }
};

/**
 * Runs one case, and again if it shows a difference and data may have changed between the two
 * answers.
 */
const runCase = async (
  comparisonCase: ComparisonCase,
  runner: CaseRunner,
  onCase: OnCase,
  attempt = 1,
): Promise<CaseResult> => {
  const foci = fociOf(comparisonCase, runner);
  let result = emptyResult(comparisonCase, attempt);
  for (const [index, focus] of foci.entries()) {
    const { responses, compare } = await runner.ask(comparisonCase, focus);
    result = addRound(result, responses, compareOrReport(compare));
    onCase(comparisonCase, index + 1, foci.length);
  }
  if (result.unexpected.length === 0 || runner.forget === undefined || attempt > 1) return result;
  runner.forget();
  return runCase(comparisonCase, runner, onCase, 2);
};

/**
 * Called when a case begins, with 0, and when it was compared for that many artists of `rounds`.
 */
export type OnCase = (comparisonCase: ComparisonCase, done: number, rounds: number) => void;

/**
 * Forgets replies after each round: requests of a walk over all artists are sent once, and their
 * replies are many.
 */
export const forgetting =
  (forget: () => void, onCase: OnCase = () => {}): OnCase =>
  (comparisonCase, done, rounds) => {
    if (done > 0) forget();
    onCase(comparisonCase, done, rounds);
  };

export const joinRuns = (runs: readonly CasesRun[]): CasesRun => ({
  cases: runs.flatMap(({ cases }) => cases),
  skipped: runs.flatMap(({ skipped }) => skipped),
  stopped: runs.find(({ stopped }) => stopped !== undefined)?.stopped,
  notes: runs.flatMap(({ notes }) => notes),
});

/**
 * Runs cases one after the other. Stops when a quota is used up for too long, or a key is refused.
 */
export const runEach = async (
  cases: readonly ComparisonCase[],
  runner: CaseRunner,
  onCase: OnCase = () => {},
): Promise<CasesRun> => {
  const results: CaseResult[] = [];
  const skipped: SkippedCase[] = [];
  let ended: RunEnded | undefined;
  for (const comparisonCase of cases) {
    onCase(comparisonCase, 0, 0);
    try {
      if (ended !== undefined) throw ended;
      const begun = performance.now();
      const result = await runCase(comparisonCase, runner, onCase);
      results.push({ ...result, seconds: (performance.now() - begun) / 1000 });
    } catch (error) {
      if (error instanceof RunEnded) ended = error;
      else if (!(error instanceof CaseSkipped)) throw error;
      const reason = ended === undefined ? error.message : 'the run ended before them';
      skipped.push({ name: comparisonCase.name, reason });
    }
  }
  return { cases: results, skipped, stopped: ended?.message, notes: [] };
};

const isOfOtherDay = ({ bodies }: SideResponse, day: Day): boolean =>
  bodies
    .flatMap((body) => ['meta.generated_at', '_meta.timestamp'].map((path) => textAt(body, path)))
    .some((instant) => instant !== undefined && !instant.startsWith(day));

export const runCases = async (
  cases: readonly ComparisonCase[],
  target: ComparisonTarget,
  onCase?: OnCase,
): Promise<CasesRun> => {
  const { send, sendAgain, forget, knowledge, readStored } = target;
  const today = target.now.slice(0, 10);
  const ask: CaseRunner['ask'] = async (comparisonCase, focus) => {
    const askForm = (form: ComparedForm) => {
      const side = comparisonCase[form];
      // Repeated requests must all reach the gateway, so no reply may come from the cache.
      return askSide(
        side.times === undefined ? send : sendAgain,
        form,
        comparisonCase.key,
        side,
        focus,
      );
    };
    const [current, variant] = await Promise.all([askForm('current'), askForm('variant')]);
    // The placeholder is the day on which the run began; the gateway uses its own day.
    const hasToday = JSON.stringify(comparisonCase).includes('{today');
    if (hasToday && [current, variant].some((side) => isOfOtherDay(side, today)))
      throw new CaseSkipped('a new day (UTC) began during the run');
    const stored = comparisonCase.items in itemTables ? await readStored() : undefined;
    const responses = { current, variant };
    return {
      responses: toSides(responses),
      compare: () => compareResponses(comparisonCase, responses, { ...knowledge, stored }),
    };
  };
  const hasBorders = cases.some(({ boundary }) => boundary !== undefined);
  const placed = placeBoundaries(cases, hasBorders ? await readStored() : undefined, today);
  const runner = { ...target, today, ask, forget: target.dataMayChange ? forget : undefined };
  const ran = await runEach(placed.cases, runner, onCase);
  return { ...ran, skipped: [...placed.skipped, ...ran.skipped] };
};
