import { countOf, sum } from '../../src/domain/quantities.ts';
import { requestedMove } from './evidence.ts';
import type { KeyReport } from './key-report.ts';
import type { QuotaReport } from './quota-report.ts';

/** The result of a report. A key without requests is `unknown`, never `ready`. */
export type Verdict = 'ready' | 'ready after renames' | 'would exceed quota' | 'unknown';

const changesText = (waiting: readonly KeyReport[], of: number): string => {
  const all = sum(waiting.map(({ changes }) => changes));
  const things = countOf(all, 'thing to change', 'things to change');
  return of > 1 ? `${things} in ${waiting.length} of ${of} keys` : things;
};

const unseenText = (unseen: readonly KeyReport[], of: number, days: number): string => {
  const who = of > 1 ? unseen.map(({ key }) => key).join(', ') : 'it';
  return `${who} sent nothing in ${days} days, so there is nothing to assess`;
};

const { from, to } = requestedMove;

const readyText = (keys: readonly KeyReport[], days: number): string => {
  if (keys.length === 0) return `it has no key of the ${from} form`;
  if (keys.every(({ form }) => form === to)) return `it has the ${to} form already`;
  if (keys.some(({ requests }) => requests > 0))
    return `nothing seen in ${days} days needs to change`;
  const refused = sum(keys.map(({ tried }) => tried.refused));
  return `all requests in ${days} days were made in the ${to} form, ${refused} of them refused`;
};

/**
 * One verdict for all keys, and a line with the verdict and its numbers: quota refusals first, then
 * things to change, then keys without requests. Without a key nothing moves. Where none of the keys
 * sent anything, in `days` or in the days of the replay, the verdict is `unknown`: refusals are those
 * of other keys of the organization.
 */
export const summarise = (keys: readonly KeyReport[], quota: QuotaReport, days: number) => {
  const waiting = keys.filter(({ form, changes }) => form === from && changes > 0);
  const unseen = keys.filter(
    ({ form, requests, tried }) => form === from && requests + tried.requests === 0,
  );
  const open = [
    ...(waiting.length > 0 ? [changesText(waiting, keys.length)] : []),
    ...(unseen.length > 0 ? [unseenText(unseen, keys.length, days)] : []),
  ];
  const summary = (verdict: Verdict, ...parts: readonly string[]) => ({
    verdict,
    line: `${verdict}: ${parts.join('; ')}`,
  });
  const isOfThese = keys.some((key) => !unseen.includes(key) || quota.keys.includes(key.key));
  if (quota.would_refuse > 0 && isOfThese) {
    return summary(
      'would exceed quota',
      `${quota.would_refuse} of ${quota.asked} requests`,
      ...open,
    );
  }
  if (waiting.length > 0) return summary('ready after renames', ...open);
  if (unseen.length > 0) return summary('unknown', ...open);
  return summary('ready', readyText(keys, days));
};
