import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { Exchange, Finding, History } from './history.ts';
import { isInWindow, offsetsBetween, readingSlackMs } from './redis-clock.ts';

/**
 * True if `seconds` after a response, rounded up to whole seconds, the Redis clock is at the end of
 * a window (epoch seconds).
 */
const endsWith = (
  clock: History['clock'],
  reset: number,
  { sentAt, answeredAt }: Exchange,
  seconds: number,
): boolean =>
  offsetsBetween(clock, sentAt, answeredAt).some(
    (offset) =>
      sentAt + (seconds - 1) * 1000 + offset - readingSlackMs < reset * 1000 &&
      answeredAt + seconds * 1000 + offset + readingSlackMs >= reset * 1000,
  );

/**
 * Checks the headers of one answer: against the limits, against each other, and against Redis'
 * clock.
 */
export const checkHeaders = ({ limits, clock }: History, exchange: Exchange): Finding[] => {
  const { subject, outcome, refusedBy, retryAfter, windows, sentAt, answeredAt } = exchange;
  const findings: Finding[] = [];
  const add = (rule: Finding['rule'], message: string): void =>
    void findings.push({ rule, subject, message });
  if (outcome !== 'granted' && outcome !== 'refused') return [];
  const expected = Object.keys(limits[subject] ?? {});
  const named = windows.map(({ window }) => window);
  if (named.join() !== expected.join())
    add('headers contradict', `windows ${named.join()} instead of ${expected.join()}`);
  for (const { window, limit, remaining, reset } of windows) {
    if (limit !== limits[subject]?.[window])
      add('headers contradict', `limit ${limit} a ${window}`);
    const most = outcome === 'granted' ? limit - 1 : limit;
    if (!(remaining >= 0 && remaining <= most))
      add('headers contradict', `${outcome} with ${remaining} of ${limit} remaining`);
    if ((reset * 1000) % windowLengthMs(window) !== 0)
      add('wrong window', `${window} ends at ${reset}, not aligned`);
    else if (!isInWindow(clock, window, reset, sentAt, answeredAt))
      add('wrong window', `${window} ends at ${reset}, which is not the window of Redis' clock`);
  }
  if (outcome === 'granted' && retryAfter !== undefined)
    add('headers contradict', 'Retry-After with an answer');
  if (outcome === 'refused') {
    const refusing = windows.find(({ window }) => window === refusedBy);
    if (refusing?.remaining !== 0)
      add('headers contradict', `refused by ${refusedBy} with ${refusing?.remaining} remaining`);
    const most = Math.ceil(windowLengthMs(refusedBy ?? 'minute') / 1000);
    if (retryAfter === undefined || retryAfter < 1 || retryAfter > most)
      add('headers contradict', `Retry-After ${retryAfter}`);
    else if (refusing !== undefined && !endsWith(clock, refusing.reset, exchange, retryAfter))
      add(
        'headers contradict',
        `Retry-After ${retryAfter} does not lead to the end of the window, ${refusing.reset}`,
      );
  }
  return findings;
};
