import { fixtureFolder } from '../src/runtime/config.ts';
import type { ComparisonCase } from '../tools/compare/cases/cases.ts';
import { formTitles } from '../tools/compare/checks/lines.ts';
import { formatReportTexts } from '../tools/compare/reports/terminal.ts';
import { runCases } from '../tools/compare/run.ts';
import { openEmbeddedTarget } from '../tools/compare/targets/embedded-target.ts';
import { createReport } from '../tools/compare/verdict.ts';

/**
 * What a run over the example catalogue prints, without its table of cases. Throws when the run
 * fails: no guide shows that.
 */
const renderResult = async (cases: readonly ComparisonCase[]): Promise<string> => {
  const spikes = { floor: 1000, thresholdPercent: 20 };
  const target = await openEmbeddedTarget({ folder: fixtureFolder, spikes });
  const ran = await runCases(cases, target);
  await target.close();
  const { now } = target;
  const named = {
    heading: 'Both forms of fixtures/catalogue',
    sides: formTitles,
    target: '',
    now,
  };
  const options = { colours: false };
  const report = createReport({ ...ran, ...named });
  const { before, after } = formatReportTexts(report, options);
  if (report.verdict.kind !== 'same')
    throw new Error(
      `The comparison of the forms fails, so docs/comparing.md was not written: fix tools/migration/mapping, or the rule in tools/compare/checks.\n${before}`,
    );
  const [headline = '', ...others] = after.trim().split('\n');
  const verdict = others.at(-1) ?? '';
  return `\`\`\`\n${before.trimEnd()}\n…\n${headline}\n…\n${verdict}\n\`\`\``;
};

/** The guide with the result of a run between its two marks. Throws when a mark is missing. */
export const withResult = async (
  guide: string,
  cases: readonly ComparisonCase[],
): Promise<string> => {
  const [begin, end] = ['<!-- result: begin -->', '<!-- result: end -->'];
  const [before, rest] = guide.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`The guide lacks ${begin} or ${end}.`);
  return `${before}${begin}\n\n${await renderResult(cases)}\n\n${end}${after}`;
};
