import type { NemesisResult } from './run-nemesis.ts';

/** Lines that say what a nemesis run saw, for a person. */
export const summarize = ({ history, verdict }: NemesisResult): string[] => {
  const outcomes = new Map<string, number>();
  for (const { outcome } of history.exchanges) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const { windows, findings } = verdict;
  const over = windows.filter(({ granted, limit }) => granted > limit);
  return [
    `${history.exchanges.length} requests: ${[...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`,
    `${windows.length} windows, ${windows.filter(({ refused }) => refused > 0).length} of them with refusals; ` +
      `${windows.filter(({ mayExceedBy }) => mayExceedBy === 0).length} without any loss of Redis or step of its clock; ` +
      `${history.counts.length} counts compared`,
    ...over.map(
      ({ subject, window, reset, granted, limit, mayExceedBy }) =>
        `${subject}, ${window} until ${new Date(reset * 1000).toISOString()}: ${granted} of ${limit} granted, at most ${mayExceedBy} more explained`,
    ),
    ...findings.slice(0, 20).map(({ rule, subject, message }) => `FINDING ${rule}: ${subject}: ${message}`),
    findings.length === 0 ? 'no findings' : `${findings.length} findings`,
  ];
};
