import { styleText } from 'node:util';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { rowKinds } from '../../migration/mapping/rows.ts';
import type { Cause } from '../causes.ts';
import { countKind, formatSkipped, type RunResult } from '../results.ts';
import { coverageText, type RunReport } from '../verdict.ts';
import {
  describeCause,
  describeConsequences,
  describeExample,
  describeKnown,
  listNames,
} from './values.ts';

/** With one format: Node 20 does not look at the stream for a list of formats. */
type Paint = (format: 'red' | 'green' | 'bold' | 'dim', text: string) => string;

const causeText = (
  cause: Cause,
  index: number,
  sides: RunResult['sides'],
  paint: Paint,
): string => {
  const { reason, found, cases, items } = cause;
  return [
    '',
    paint('red', paint('bold', `${index + 1}. ${describeCause(cause)}`)),
    `   ${paint('dim', plainText(reason))}`,
    `   ${countOf(cases.length, 'case')}, ${countOf(items, 'item')}: ${listNames(cases.map(({ name }) => name))}`,
    ...describeExample(found[0], sides),
    ...(found.length > 1 ? [`   and ${found.length - 1} more (--html shows them)`] : []),
    ...describeConsequences(cause).map((text) => `   ${paint('dim', text)}`),
  ].join('\n');
};

const beyondLimitText = ({ cases }: RunResult): string[] => {
  const counts = cases.flatMap(({ name, beyondLimit: { length } }) =>
    length > 0 ? [`${name} (${length})`] : [],
  );
  return counts.length === 0
    ? []
    : [`Beyond the limit of one form, not compared: ${counts.join(', ')}.`];
};

/**
 * The texts before and after the table of cases: the verdict and causes with examples, then what
 * was compared, and the verdict again in the last line. They are coloured if `to` shows colours.
 */
export const formatReportTexts = (report: RunReport, to: NodeJS.WritableStream) => {
  const paint: Paint = (format, text) => styleText(format, text, { stream: to });
  const { result, causes, coverage, verdict, known, failures } = report;
  const { cases, notes } = result;
  const colour = verdict.exitCode === 0 ? 'green' : 'red';
  const verdictLine = paint(colour, paint('bold', plainText(verdict.text)));
  const totals = rowKinds.map((kind) => `${kind} ${countKind(cases, kind)}`).join(', ');
  const { notExercised } = coverage.rows;
  const before = [
    verdictLine,
    `${plainText(result.heading)}, at ${result.now}`,
    ...causes.map((cause, index) => causeText(cause, index, result.sides, paint)),
    '',
  ];
  const after = [
    '',
    coverageText(coverage),
    ...(notExercised.length === 0
      ? []
      : [paint('dim', `Rows that no case exercised: ${listNames(notExercised)}.`)]),
    `Statements that hold: ${totals}.`,
    ...known.accepted.map(describeKnown),
    ...failures.map((text) => paint('red', plainText(text))),
    ...beyondLimitText(result),
    ...formatSkipped(result).map((text) => paint('dim', plainText(text))),
    ...notes.map(plainText),
    verdictLine,
  ];
  return { before: before.join('\n'), after: after.join('\n') };
};
