import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import { checkHeaders } from './check-headers.ts';
import type { Exchange, Finding, History, Interval } from './history.ts';
import { stepSlackMs, visits } from './redis-clock.ts';

/** A refund may be under way for this long (milliseconds) after the answer. */
const refundLagMs = 1_000;

const meets = (from: number, to: number, intervals: readonly Interval[]): boolean =>
  intervals.some((interval) => interval.from <= to && interval.to >= from);

/** A window of a subject, and what the history says about it. */
interface WindowHistory {
  readonly subject: string;
  readonly window: QuotaWindow;
  /** End of the window, epoch seconds. */
  readonly reset: number;
  readonly limit: number;
  /** The exchanges whose headers name it, in the order they were sent. */
  readonly named: readonly Exchange[];
  readonly ofSubject: readonly Exchange[];
  /**
   * How many units more than the limit Redis may have granted because it lost as many, or because
   * its clock was set back.
   */
  readonly mayExceedBy: number;
}

const resetIn = ({ windows }: Exchange, window: QuotaWindow): number | undefined =>
  windows.find((header) => header.window === window)?.reset;

/**
 * Instants when counts may be lost: as the history says, and when Redis' clock was set (a window
 * that is entered again restarts).
 */
const lossesOf = ({ losses, clock }: History): Interval[] => [
  ...losses,
  ...clock.slice(1).map(({ at }) => ({ from: at - stepSlackMs, to: at + stepSlackMs })),
];

/**
 * True if it might hold a unit of a window without a header that shows it: permanently, or until
 * its refund arrives.
 */
const mayHold = (exchange: Exchange, window: QuotaWindow): boolean =>
  exchange.outcome === 'unknown' ||
  exchange.outcome === 'refunded' ||
  (exchange.outcome === 'refused' && exchange.refusedBy !== window);

/**
 * True if it might have held a unit of this window that was lost. A lost unit might be granted
 * again, even if its refund arrives after the loss.
 */
const mayBeLost = (exchange: Exchange, window: QuotaWindow, reset: number): boolean =>
  (resetIn(exchange, window) ?? reset) === reset &&
  (exchange.outcome === 'granted' || mayHold(exchange, window));

/** Groups the exchanges by the windows that their headers name. */
const windowsOf = (history: History, losses: readonly Interval[]): WindowHistory[] => {
  const all = history.exchanges.flatMap((one) =>
    one.windows.map(({ window, reset }) => ({ one, window, reset })),
  );
  const groups = groupBy(
    all,
    ({ one: { subject }, window, reset }) => `${subject} ${window} ${reset}`,
  );
  return [...groups.values()].map((group) => {
    const [{ one, window, reset }] = group;
    const { subject } = one;
    const named = group.map((each) => each.one);
    const limit = history.limits[subject]?.[window] ?? 0;
    const ofSubject = history.exchanges.filter((exchange) => exchange.subject === subject);
    const lasted = {
      from: Math.min(...named.map(({ sentAt }) => sentAt)) - refundLagMs,
      to: Math.max(...named.map(({ answeredAt }) => answeredAt)) + refundLagMs,
    };
    const lost = ofSubject.filter(
      (each) =>
        mayBeLost(each, window, reset) &&
        [[lasted], losses].every((intervals) => meets(each.sentAt, each.answeredAt, intervals)),
    ).length;
    const mayExceedBy = lost + limit * (visits(history, window, reset) - 1);
    return { subject, window, reset, limit, named, ofSubject, mayExceedBy };
  });
};

const checkWindow = ({
  subject,
  window,
  reset,
  limit,
  named,
  ofSubject,
  mayExceedBy,
}: WindowHistory): Finding[] => {
  const findings: Finding[] = [];
  const add = (rule: Finding['rule'], message: string): void => {
    findings.push({
      rule,
      subject,
      message: `${window} until ${new Date(reset * 1000).toISOString()}: ${message}`,
    });
  };
  const granted = named.filter(({ outcome }) => outcome === 'granted');
  if (granted.length > limit + mayExceedBy)
    add(
      'over-granted',
      `${granted.length} granted of ${limit}, and at most ${mayExceedBy} more explained`,
    );

  const holders = ofSubject.filter((exchange) => mayHold(exchange, window));
  for (const refusal of named.filter(
    ({ outcome, refusedBy }) => outcome === 'refused' && refusedBy === window,
  )) {
    const from = refusal.sentAt - windowLengthMs(window);
    const held =
      granted.filter(({ sentAt }) => sentAt <= refusal.answeredAt).length +
      holders.filter(
        ({ sentAt, answeredAt, outcome }) =>
          sentAt <= refusal.answeredAt &&
          (outcome === 'unknown' ? answeredAt >= from : answeredAt + refundLagMs >= refusal.sentAt),
      ).length;
    if (held < limit)
      add('false refusal', `refused although at most ${held} of ${limit} units were used`);
  }

  const remaining = new Set(
    granted.map(({ windows }) => windows.find((one) => one.window === window)?.remaining),
  );
  const repeated = granted.length - remaining.size;
  const [first, last] = [granted[0], granted.at(-1)];
  const lasted = first && last && { from: first.sentAt - refundLagMs, to: last.answeredAt };
  const refundable = holders.filter(
    ({ sentAt, answeredAt }) => lasted && meets(sentAt, answeredAt, [lasted]),
  ).length;
  if (repeated > refundable + mayExceedBy)
    add(
      'repeated unit',
      `${repeated} units granted twice, with ${refundable} that may have been refunded`,
    );
  return findings;
};

/**
 * Compares the counts that Redis held at quiet moments with what was granted by then: every refund
 * counted once.
 */
const checkCounts = (history: History, losses: readonly Interval[]): Finding[] =>
  history.counts.flatMap(({ at, subject, window, reset, count }) => {
    const limit = history.limits[subject]?.[window] ?? 0;
    const before = history.exchanges.filter(
      (exchange) => exchange.subject === subject && exchange.answeredAt <= at,
    );
    const granted = before.filter(
      (one) => one.outcome === 'granted' && resetIn(one, window) === reset,
    );
    const began = at - windowLengthMs(window);
    const disturbed = (one: Exchange): boolean =>
      meets(one.sentAt, one.answeredAt + refundLagMs, [...losses, ...history.outages]);
    const lost = before.filter(
      (one) =>
        one.answeredAt >= began &&
        one.outcome !== 'refused' &&
        meets(one.sentAt, one.answeredAt, losses),
    );
    const uncertain = before.filter(
      (one) =>
        one.answeredAt >= began &&
        (one.outcome === 'unknown' || (mayHold(one, window) && disturbed(one))),
    );
    // A window that the clock entered again holds only the units of its last visit.
    const least = visits(history, window, reset) > 1 ? 0 : granted.length - lost.length;
    const most = Math.min(limit, granted.length + uncertain.length);
    if (count >= least && count <= most) return [];
    const message = `${window} until ${new Date(reset * 1000).toISOString()}: Redis counts ${count}, expected ${least} to ${most}`;
    return [{ rule: 'wrong count', subject, message }];
  });

const checkOutages = ({ exchanges, outages }: History): Finding[] =>
  exchanges
    .filter(
      ({ outcome, sentAt, answeredAt }) =>
        outcome !== 'unknown' && outages.some(({ from, to }) => sentAt > from && answeredAt < to),
    )
    .map(({ subject, outcome }) => ({
      rule: 'fail-open',
      subject,
      message: `${outcome} while no Redis could answer`,
    }));

/**
 * Checks a history against the promises of the quotas (decisions, "Quotas"): in each window at most
 * the limit is granted, beyond what Redis itself may have lost; a refusal is given only when the
 * units are used; every refund counts once; headers name the window of Redis' clock and never
 * contradict; nothing is answered without Redis. Pure.
 */
export const checkHistory = (history: History): readonly Finding[] => {
  const losses = lossesOf(history);
  return [
    ...history.exchanges.flatMap((exchange) => checkHeaders(history, exchange)),
    ...windowsOf(history, losses).flatMap(checkWindow),
    ...checkCounts(history, losses),
    ...checkOutages(history),
  ];
};
