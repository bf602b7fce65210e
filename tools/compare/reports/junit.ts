import { plainLines } from '../../../adapters/text/plain-text.ts';
import { sum } from '../../../src/domain/quantities.ts';
import { causesOf } from '../causes.ts';
import type { CaseResult, RunResult, SkippedCase } from '../results.ts';
import type { RunReport } from '../verdict.ts';
import { describeCause, describeExample, describeFollowers } from './values.ts';

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

const failure = (message: string, text: string): string =>
  element('failure', { message, type: 'difference' }, xmlText(text));

const testCase = (name: string, seconds: number, content = ''): string =>
  element('testcase', { classname: 'compare', name, time: seconds.toFixed(3) }, content);

const caseElement = (one: CaseResult, sides: RunResult['sides']): string => {
  const causes = causesOf([one]);
  const [first, ...others] = causes.map(describeCause);
  if (first === undefined) return testCase(one.name, one.seconds);
  const lines = causes.flatMap((cause) => [
    describeCause(cause),
    ...describeExample(cause.found[0], sides),
    ...describeFollowers(cause),
  ]);
  const message = others.length === 0 ? first : `${first} and ${others.length} more`;
  return testCase(one.name, one.seconds, failure(message, lines.join('\n')));
};

const skippedElement = ({ name, reason }: SkippedCase): string =>
  testCase(name, 0, element('skipped', { message: reason }));

/**
 * A run as JUnit XML: a test case for each case, and one for the run, which fails when the run
 * fails for another reason.
 */
export const formatJunit = ({ result, verdict, failures }: RunReport): string => {
  const failed = result.cases.filter(({ unexpected }) => unexpected.length > 0).length;
  const isRunBad = verdict.exitCode !== 0 && verdict.kind !== 'different';
  const [first, ...others] = [...(isRunBad ? [verdict.text] : []), ...failures];
  const runFailure = first === undefined ? '' : failure(first, [first, ...others].join('\n'));
  const counts = {
    tests: result.cases.length + result.skipped.length + 1,
    failures: failed + (first === undefined ? 0 : 1),
    errors: 0,
    skipped: result.skipped.length,
    time: sum(result.cases.map(({ seconds }) => seconds)).toFixed(3),
  };
  const cases = [
    ...result.cases.map((one) => caseElement(one, result.sides)),
    ...result.skipped.map(skippedElement),
    testCase('the run', 0, runFailure),
  ];
  const suite = element(
    'testsuite',
    { name: result.heading, ...counts, timestamp: result.now.slice(0, 19) },
    cases.join('\n'),
  );
  const { skipped: _skipped, ...totals } = counts;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'compare', ...totals }, suite)}\n`;
};
