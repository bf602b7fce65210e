import type { ComparedLine } from '../checks/members.ts';
import { type CaseResult, countUnexpected, type RunResult, type UnexpectedLine } from '../results.ts';

const formatLine = ({ kind, current, variant, reason, unexpected }: ComparedLine) => ({
  kind: kind ?? 'by itself',
  current,
  variant,
  unexpected,
  reason,
});

const formatUnexpected = ({ block, line }: UnexpectedLine) => ({ where: block, ...formatLine(line) });

const formatCase = ({ name, asks, key, paths, items, counts, beyondLimit, attempts, unexpected }: CaseResult) => ({
  name,
  asks,
  key,
  requests: paths,
  items,
  counts,
  out_of_reach: beyondLimit.length,
  asked: attempts,
  unexpected: unexpected.map(formatUnexpected),
});

/** A run as JSON: every case with its counts, and every unexpected difference with both paths and values. */
export const formatJsonReport = (result: RunResult) => ({
  subject: result.target,
  now: result.now,
  unexpected: countUnexpected(result),
  cases: result.cases.map(formatCase),
  skipped: result.skipped,
  notes: result.notes,
  stopped: result.stopped,
});
