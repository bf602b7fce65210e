import type { Cause } from '../causes.ts';
import type { ComparedLine, Sides } from '../checks/lines.ts';
import type { DifferenceGroup } from '../differences.ts';
import { type CaseResult, countUnexpected, type UnexpectedLine } from '../results.ts';
import type { RunReport } from '../verdict.ts';

/**
 * Both sides under the names that baselines use; `sides` in the report says what they are, such as
 * two gateways.
 */
const formatSides = <Value>({ left, right }: Sides<Value>) => ({ current: left, variant: right });

const formatLine = ({ kind, row, left, right, stored, reason, unexpected }: ComparedLine) => ({
  kind,
  row,
  ...formatSides({ left, right }),
  stored,
  unexpected,
  reason,
});

const formatUnexpected = ({ block, line }: UnexpectedLine) => ({
  where: block,
  ...formatLine(line),
});

const formatCase = ({
  name,
  asks,
  key,
  paths,
  items,
  counts,
  beyondLimit,
  attempts,
  unexpected,
}: CaseResult) => ({
  name,
  asks,
  key,
  requests: formatSides(paths),
  items: formatSides(items),
  counts,
  out_of_reach: beyondLimit.length,
  asked: attempts,
  unexpected: unexpected.map(formatUnexpected),
});

const formatGroup = ({
  row,
  violation,
  reason,
  cases,
  items,
  found: [{ block, line }],
}: DifferenceGroup) => ({
  row,
  violation,
  reason,
  cases: cases.map(({ name }) => name),
  items,
  example: formatUnexpected({ block, line }),
});

const formatCause = (cause: Cause) => ({
  ...formatGroup(cause),
  consequences: cause.consequences.map(formatGroup),
});

/**
 * A run as JSON: the verdict, the causes, every case with its counts, and every unexpected
 * difference with both values.
 */
export const formatJsonReport = ({ result, verdict, coverage, causes, known }: RunReport) => ({
  verdict: verdict.kind,
  message: verdict.text,
  subject: result.target,
  sides: formatSides(result.sides),
  now: result.now,
  unexpected: countUnexpected(result),
  causes: causes.map(formatCause),
  compared: coverage,
  known: known.accepted.map(({ entry, cause }) => ({
    ...entry,
    cases: cause.cases.map(({ name }) => name),
  })),
  baseline_failures: known.failures,
  cases: result.cases.map(formatCase),
  skipped: result.skipped,
  notes: result.notes,
  stopped: result.stopped,
});
