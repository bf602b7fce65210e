import type { Clock, Log, ShadowMeter } from '../../../src/ports.ts';
import type { ComparisonCounter } from '../../../src/usage/counter.ts';
import type { ObservedAnswer } from './answers.ts';
import type { JudgedCause } from './judge.ts';

export interface ShadowReportOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: ShadowMeter;
  /** Counts by key; `undefined` without a store for usage. */
  readonly usage: ComparisonCounter | undefined;
}

/** A line about a cause is written again after this many milliseconds at the earliest. */
const repeatMs = 3_600_000;

const ownLine = /\b(?:adapters|src)\/[\w/.-]+:\d+/;

/**
 * What failed: the kind of error, the row that was checked, the line of the gateway's code.
 * Messages may quote what was parsed, so they are not logged.
 */
const describeFailure = (failure: unknown) => {
  const row = failure instanceof Error && 'row' in failure ? failure.row : undefined;
  const first =
    failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
  if (!(first instanceof Error)) return { error: typeof first, row };
  return {
    error: first.name,
    row,
    at: ownLine.exec((first.stack ?? '').replace(first.message, ''))?.[0],
  };
};

const factsOf = ({ requestId, answered: { caller, route }, form }: ObservedAnswer) => ({
  requestId,
  key: caller.key.id,
  form: form.name,
  route: route.path,
});

/** Reports the results of comparisons: in metrics, in the log, and in the counts of the key. */
export const createShadowReport = ({ clock, log, meter, usage }: ShadowReportOptions) => {
  /**
   * When a line about each cause was last written. Its violation holds no values, so that causes
   * are few.
   */
  const loggedAt = new Map<string, number>();
  const isDue = (cause: string): boolean => {
    const now = clock.elapsed();
    if (now - (loggedAt.get(cause) ?? Number.NEGATIVE_INFINITY) < repeatMs) return false;
    loggedAt.set(cause, now);
    return true;
  };
  return {
    /** Records the causes of differences; `undefined` when the answer was not compared. */
    judged(answer: ObservedAnswer, causes: readonly JudgedCause[] | undefined): void {
      if (causes === undefined) {
        meter.judged('skipped');
        return;
      }
      const differed = causes.length > 0;
      meter.judged(differed ? 'different' : 'same');
      const { key, form, route } = factsOf(answer);
      const organizationId = answer.answered.caller.organization.id;
      usage?.countComparison({
        keyId: key,
        organizationId,
        form,
        route,
        ms: clock.now() - answer.now,
        differed,
      });
      for (const row of new Set(causes.map((cause) => cause.row ?? 'none'))) meter.differed(row);
      for (const cause of causes)
        if (isDue(`${cause.row} ${cause.violation}`))
          log.warn({ ...factsOf(answer), ...cause }, 'forms differ');
    },
    failed(answer: ObservedAnswer, failure: unknown): void {
      const facts = describeFailure(failure);
      meter.judged('failed');
      if (isDue(JSON.stringify(facts)))
        log.error({ ...factsOf(answer), ...facts }, 'comparison of the forms failed');
    },
  };
};
