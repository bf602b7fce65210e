import type { Line } from '../checks/members.ts';
import { type CaseResult, countUnexpected, type FoundLine, type RunResult } from '../results.ts';

const tellLine = ({ kind, current, variant, reason, unexpected }: Line) => ({
  kind: kind ?? 'by itself',
  current,
  variant,
  unexpected,
  reason,
});

const tellFound = ({ block, line }: FoundLine) => ({ where: block, ...tellLine(line) });

const tellCase = ({ name, asks, key, paths, items, counts, outOfReach, asked, unexpected }: CaseResult) => ({
  name,
  asks,
  key,
  requests: paths,
  items,
  counts,
  out_of_reach: outOfReach.length,
  asked,
  unexpected: unexpected.map(tellFound),
});

/** A run for a program: every case with its counts, and every unexpected difference with both values and paths. */
export const formatJsonReport = (result: RunResult) => ({
  subject: result.subject,
  now: result.now,
  unexpected: countUnexpected(result),
  cases: result.cases.map(tellCase),
  skipped: result.skipped,
  notes: result.notes,
  stopped: result.stopped,
});
