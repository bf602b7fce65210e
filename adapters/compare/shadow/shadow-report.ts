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

/** A line for a cause is written again after this many milliseconds at the earliest. */
const repeatMs = 3_600_000;

/** Causes that are logged in that time; differences of further ones are counted in the metrics alone. */
const maxCauses = 100;

/** Whether a line about a cause is due: at most once in `repeatMs` for each, and for at most `maxCauses`. */
const createLogLimit = (clock: Clock): ((cause: string) => boolean) => {
  const logged = new Set<string>();
  let since = clock.elapsed();
  return (cause) => {
    if (clock.elapsed() - since >= repeatMs) {
      logged.clear();
      since = clock.elapsed();
    }
    if (logged.has(cause) || logged.size >= maxCauses) return false;
    logged.add(cause);
    return true;
  };
};

/** An error and its causes, the first cause last. */
const chainOf = (failure: unknown): readonly Error[] =>
  failure instanceof Error ? [failure, ...chainOf(failure.cause)] : [];

const ownLine = /\b(?:adapters|src)\/[\w/.-]+:\d+/;

/**
 * What failed: the kind of error, the row that was checked, the line of the gateway's code. Messages may quote what was
 * parsed, so they are not logged.
 */
const describeFailure = (failure: unknown) => {
  const errors = chainOf(failure);
  const first = errors.at(-1);
  const row = errors.map((error) => ('row' in error ? error.row : undefined)).find((id) => typeof id === 'string');
  return {
    error: first?.name ?? typeof failure,
    row,
    at: ownLine.exec((first?.stack ?? '').replace(first?.message ?? '', ''))?.[0],
  };
};

/** Reports the results of comparisons: in metrics, in the log, and in the counts of the key. */
export const createShadowReport = ({ clock, log, meter, usage }: ShadowReportOptions) => {
  const isDue = createLogLimit(clock);
  const factsOf = ({ requestId, answered: { caller, route }, form }: ObservedAnswer) => ({
    requestId,
    key: caller.key.id,
    form,
    route: route.path,
  });
  return {
    /** Records the causes of differences; `undefined` when the answer was not compared. */
    judged(answer: ObservedAnswer, causes: readonly JudgedCause[] | undefined): void {
      if (causes === undefined) {
        meter.judged('skipped');
        return;
      }
      const differed = causes.length > 0;
      const { key, form, route } = factsOf(answer);
      meter.judged(differed ? 'different' : 'same');
      const organizationId = answer.answered.caller.organization.id;
      const ms = clock.elapsed() - answer.answeredAt;
      usage?.countComparison({ keyId: key, organizationId, form, route, ms, differed });
      for (const row of new Set(causes.map((cause) => cause.row ?? 'none'))) meter.differed(row);
      for (const cause of causes) {
        if (!isDue(`${cause.row} ${cause.violation}`)) continue;
        const { row, violation, items, current, variant, artists } = cause;
        log.warn({ ...factsOf(answer), row, violation, items, current, variant, artists }, 'forms differ');
      }
    },
    failed(answer: ObservedAnswer, failure: unknown): void {
      const facts = describeFailure(failure);
      meter.judged('failed');
      if (isDue(JSON.stringify(facts))) log.error({ ...factsOf(answer), ...facts }, 'comparison of the forms failed');
    },
  };
};
