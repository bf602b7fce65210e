import { plainLines } from '../../text/plain-text.ts';
import type { RunReport } from '../verdict.ts';
import { describeCause, describeFollowers, listCases } from './values.ts';

/** GitHub shows ten errors of a step. */
const maxErrors = 10;

const escapeData = (text: string): string =>
  plainLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const annotate = (level: 'error' | 'notice', title: string, message: string): string =>
  `::${level} title=${escapeProperty(title)}::${escapeData(message)}`;

/** A run as workflow commands of GitHub Actions: an error for each cause and for each entry of the baseline that fails. */
export const formatAnnotations = ({ result, causes, verdict, known }: RunReport): string => {
  const errors = [
    ...causes.map((cause) => {
      const cases = `${cause.cases.length} cases, ${cause.items} items: ${listCases(cause)}`;
      return annotate(
        'error',
        describeCause(cause),
        [cause.reason, cases, describeFollowers(cause)].filter(Boolean).join('\n'),
      );
    }),
    ...known.failures.map((text) => annotate('error', 'Known differences', text)),
  ];
  const shown = errors.length > maxErrors ? errors.slice(0, maxErrors - 1) : errors;
  const rest = errors.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [annotate('error', 'compare', `And ${rest} more: see the report.`)] : []),
    annotate(verdict.exitCode === 0 ? 'notice' : 'error', result.heading, verdict.text),
  ].join('\n');
};
