import { plainLines } from '../../../adapters/text/plain-text.ts';
import { sum } from '../../../src/domain/quantities.ts';
import { causesOf } from '../causes.ts';
import type { CaseResult, RunResult } from '../results.ts';
import type { RunReport } from '../verdict.ts';
import { describeCause, describeConsequences, describeExample } from './values.ts';

/**
 * A text inside XML 1.0, which has no lone surrogates and no other control characters than a line
 * feed, not even escaped ones.
 */
const xmlText = (text: string): string =>
  plainLines(text)
    .replaceAll(/[^\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('\n', '&#10;');

const element = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content = '',
): string => {
  const text = Object.entries(attributes).map(
    ([attribute, value]) => ` ${attribute}="${xmlText(String(value))}"`,
  );
  return `<${name}${text.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
};

/** A test case, which passes without a failure and a reason to skip it. */
export interface JunitCase {
  readonly name: string;
  readonly seconds?: number;
  readonly failure?: { readonly message: string; readonly text: string } | undefined;
  /** Why it did not run. */
  readonly skipped?: string;
}

/** The failure of a case for these reasons, a line each; `undefined` without any. */
export const failureOf = (lines: readonly string[]): JunitCase['failure'] => {
  const [message, ...others] = lines;
  return message === undefined ? undefined : { message, text: [message, ...others].join('\n') };
};

const caseElement = (classname: string, { name, seconds = 0, failure, skipped }: JunitCase) => {
  const failed =
    failure &&
    element('failure', { message: failure.message, type: 'difference' }, xmlText(failure.text));
  const result = failed ?? (skipped === undefined ? '' : element('skipped', { message: skipped }));
  return element('testcase', { classname, name, time: seconds.toFixed(3) }, result);
};

/**
 * Test cases as JUnit XML.
 *
 * @param name the command
 * @param suite the heading of its run, and when it ran, ISO 8601
 */
export const junitDocument = (
  name: string,
  suite: { readonly heading: string; readonly now: string },
  cases: readonly JunitCase[],
): string => {
  const totals = {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
  };
  const time = sum(cases.map(({ seconds = 0 }) => seconds)).toFixed(3);
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  const timestamp = suite.now.slice(0, 19);
  const inner = element(
    'testsuite',
    { name: suite.heading, ...totals, skipped, time, timestamp },
    cases.map((one) => caseElement(name, one)).join('\n'),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, ...totals, time }, inner)}\n`;
};

const comparedCase = (one: CaseResult, sides: RunResult['sides']): JunitCase => {
  const { name, seconds } = one;
  const causes = causesOf([one]);
  const [first, ...others] = causes.map(describeCause);
  if (first === undefined) return { name, seconds };
  const lines = causes.flatMap((cause) => [
    describeCause(cause),
    ...describeExample(cause.found[0], sides),
    ...describeConsequences(cause),
  ]);
  const message = others.length === 0 ? first : `${first} and ${others.length} more`;
  return { name, seconds, failure: { message, text: lines.join('\n') } };
};

/**
 * A run as JUnit XML: a test case for each case, and one for the run, which fails when the run
 * fails for another reason.
 */
export const formatJunit = ({ result, verdict, failures }: RunReport): string => {
  const isRunBad = verdict.exitCode !== 0 && verdict.kind !== 'different';
  return junitDocument('compare', result, [
    ...result.cases.map((one) => comparedCase(one, result.sides)),
    ...result.skipped.map(({ name, reason }) => ({ name, skipped: reason })),
    { name: 'the run', failure: failureOf([...(isRunBad ? [verdict.text] : []), ...failures]) },
  ]);
};
