import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import { type Exchange, type Finding, type History, type Interval, windowsOf } from './history.ts';

/** A refund may be under way for this long (milliseconds) after the answer. */
const refundLagMs = 1_000;

/**
 * A clock that is set takes effect within this time (milliseconds); answers on their way may show
 * either.
 */
const stepSlackMs = 1_500;

/** How far the clocks of observer and Redis may be misjudged, in milliseconds. */
const readingSlackMs = 150;

const meets = ({ sentAt: from, answeredAt: to }: Exchange, intervals: readonly Interval[]) =>
  intervals.some((interval) => interval.from <= to && interval.to >= from);

const resetIn = ({ windows }: Exchange, window: QuotaWindow): number | undefined =>
  windows.find((header) => header.window === window)?.reset;

/** True if the Redis clock was between two times (epoch milliseconds) during an exchange. */
const isBetween = (
  clock: History['clock'],
  { sentAt, answeredAt }: Exchange,
  from: number,
  to: number,
): boolean =>
  clock.some(({ at, offset }, index) => {
    const next = clock[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return (
      at <= answeredAt &&
      next + stepSlackMs > sentAt &&
      answeredAt + offset + readingSlackMs >= from &&
      sentAt + offset - readingSlackMs < to
    );
  });

/**
 * True if it might hold a unit of a window without a header that shows it: permanently, or until
 * its refund arrives.
 */
const mayHold = (exchange: Exchange, window: QuotaWindow): boolean =>
  exchange.outcome === 'unknown' ||
  exchange.outcome === 'refunded' ||
  (exchange.outcome === 'refused' && exchange.refusedBy !== window);

/** Checks headers against the limits, against each other, and against the clock of Redis. */
const checkHeaders = ({ limits, clock }: History, exchange: Exchange): Finding[] => {
  const { subject, outcome, refusedBy, retryAfter, windows } = exchange;
  const findings: Finding[] = [];
  const add = (message: string, rule: Finding['rule'] = 'headers contradict'): void =>
    void findings.push({ rule, subject, message });
  if (outcome !== 'granted' && outcome !== 'refused') return [];
  const expected = windowsOf(limits[subject] ?? {}).join();
  const named = windows.map(({ window }) => window).join();
  if (named !== expected) add(`windows ${named} instead of ${expected}`);
  for (const { window, limit, remaining, reset } of windows) {
    if (limit !== limits[subject]?.[window]) add(`limit ${limit} a ${window}`);
    const most = outcome === 'granted' ? limit - 1 : limit;
    if (!(remaining >= 0 && remaining <= most))
      add(`${outcome} with ${remaining} of ${limit} remaining`);
    const [length, end] = [windowLengthMs(window), reset * 1000];
    if (end % length !== 0 || !isBetween(clock, exchange, end - length, end))
      add(`${window} ends at ${reset}, which is not the window of Redis' clock`, 'wrong window');
  }
  if (outcome === 'granted' && retryAfter !== undefined) add('Retry-After with an answer');
  if (outcome === 'refused') {
    const { remaining, reset = 0 } = windows.find(({ window }) => window === refusedBy) ?? {};
    if (remaining !== 0) add(`refused by ${refusedBy} with ${remaining} remaining`);
    // rounded up to whole seconds
    const sent = (reset - (retryAfter ?? 0)) * 1000;
    if (!(Number(retryAfter) >= 1) || !isBetween(clock, exchange, sent, sent + 1000))
      add(`Retry-After ${retryAfter} does not lead to the end of the window, ${reset}`);
  }
  return findings;
};

/**
 * How often the clock entered the window that ends at `reset` (epoch seconds): again if it was set
 * back across an edge of the window. The count restarts then.
 */
const visits = ({ clock }: History, window: QuotaWindow, reset: number): number => {
  const edges = [reset * 1000 - windowLengthMs(window), reset * 1000];
  const returns = clock.slice(1).filter(({ at, offset }, index) => {
    const before = at + (clock[index]?.offset ?? offset);
    return edges.some((edge) => before + stepSlackMs > edge && at + offset - stepSlackMs < edge);
  });
  return 1 + returns.length;
};

const describeWindow = (window: QuotaWindow, reset: number): string =>
  `${window} until ${new Date(reset * 1000).toISOString()}`;

/** Checks the grants and refusals of each window that headers name. */
const checkWindows = (history: History, losses: readonly Interval[]): Finding[] => {
  const headers = history.exchanges.flatMap((one) =>
    one.windows.map(({ window, reset }) => ({ one, window, reset })),
  );
  const groups = groupBy(
    headers,
    ({ one: { subject }, window, reset }) => `${subject} ${window} ${reset}`,
  );
  return [...groups.values()].flatMap((group): Finding[] => {
    const [{ one, window, reset }] = group;
    const { subject } = one;
    const limit = history.limits[subject]?.[window] ?? 0;
    const named = group.map((each) => each.one);
    const ofSubject = history.exchanges.filter((exchange) => exchange.subject === subject);
    const lasted = {
      from: Math.min(...named.map(({ sentAt }) => sentAt)) - refundLagMs,
      to: Math.max(...named.map(({ answeredAt }) => answeredAt)) + refundLagMs,
    };
    // A lost unit might be granted again, even if its refund arrives after the loss.
    const lost = ofSubject.filter(
      (each) =>
        (resetIn(each, window) ?? reset) === reset &&
        (each.outcome === 'granted' || mayHold(each, window)) &&
        meets(each, [lasted]) &&
        meets(each, losses),
    ).length;
    const mayExceedBy = lost + limit * (visits(history, window, reset) - 1);
    const granted = named.filter(({ outcome }) => outcome === 'granted');
    const message = `${describeWindow(window, reset)}: ${granted.length} granted of ${limit}, and at most ${mayExceedBy} more explained`;
    const overGranted: readonly Finding[] =
      granted.length > limit + mayExceedBy ? [{ rule: 'over-granted', subject, message }] : [];

    const holders = ofSubject.filter((exchange) => mayHold(exchange, window));
    const refusals = named.filter(
      (each) => each.outcome === 'refused' && each.refusedBy === window,
    );
    const falseRefusals = refusals.flatMap((refusal): Finding[] => {
      const from = refusal.sentAt - windowLengthMs(window);
      const used =
        granted.filter(({ sentAt }) => sentAt <= refusal.answeredAt).length +
        holders.filter(
          ({ sentAt, answeredAt, outcome }) =>
            sentAt <= refusal.answeredAt &&
            (outcome === 'unknown'
              ? answeredAt >= from
              : answeredAt + refundLagMs >= refusal.sentAt),
        ).length;
      const message = `${describeWindow(window, reset)}: refused although at most ${used} of ${limit} units were used`;
      return used < limit ? [{ rule: 'false refusal', subject, message }] : [];
    });
    return [...overGranted, ...falseRefusals];
  });
};

/**
 * Compares the counts that Redis held at quiet moments with what was granted by then: every grant
 * and every refund counted once.
 */
const checkCounts = (history: History, losses: readonly Interval[]): Finding[] =>
  history.counts.flatMap(({ at, subject, window, reset, count }) => {
    const limit = history.limits[subject]?.[window] ?? 0;
    const before = history.exchanges.filter(
      (exchange) => exchange.subject === subject && exchange.answeredAt <= at,
    );
    const granted = before.filter(
      (one) => one.outcome === 'granted' && resetIn(one, window) === reset,
    ).length;
    const recent = before.filter(({ answeredAt }) => answeredAt >= at - windowLengthMs(window));
    const lost = recent.filter((one) => one.outcome !== 'refused' && meets(one, losses)).length;
    const disturbances = [...losses, ...history.outages];
    const uncertain = recent.filter(
      (one) =>
        one.outcome === 'unknown' ||
        (mayHold(one, window) &&
          meets({ ...one, answeredAt: one.answeredAt + refundLagMs }, disturbances)),
    ).length;
    // A window that the clock entered again holds only the units of its last visit.
    const least = visits(history, window, reset) > 1 ? 0 : granted - lost;
    const most = Math.min(limit, granted + uncertain);
    const message = `${describeWindow(window, reset)}: Redis counts ${count}, expected ${least} to ${most}`;
    return count >= least && count <= most ? [] : [{ rule: 'wrong count', subject, message }];
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
  const steps = history.clock.slice(1);
  // counts may also be lost when the clock was set: a window that is entered again restarts
  const losses = [
    ...history.losses,
    ...steps.map(({ at }) => ({ from: at - stepSlackMs, to: at + stepSlackMs })),
  ];
  return [
    ...history.exchanges.flatMap((exchange) => checkHeaders(history, exchange)),
    ...checkWindows(history, losses),
    ...checkCounts(history, losses),
    ...checkOutages(history),
  ];
};
