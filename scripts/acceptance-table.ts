import { fixtureFolder } from '../src/runtime/config.ts';
import type { CaseSide, ComparisonCase, ItemCondition } from '../tools/compare/cases/cases.ts';
import { listChecks } from '../tools/compare/checks/comparison.ts';
import { invariants } from '../tools/compare/checks/invariants.ts';
import { formTitles } from '../tools/compare/checks/lines.ts';
import { expectedOutcomes } from '../tools/compare/checks/outcomes.ts';
import { formatReportTexts } from '../tools/compare/reports/terminal.ts';
import { runCases } from '../tools/compare/run.ts';
import { openEmbeddedTarget } from '../tools/compare/targets/embedded-target.ts';
import { createReport } from '../tools/compare/verdict.ts';
import { crosswalk } from '../tools/crosswalk/crosswalk.ts';
import { type ComparedForm, comparedForms } from '../tools/crosswalk/forms.ts';
import { pathRowOf, pathRows } from '../tools/crosswalk/request-rows.ts';
import type { PathRow } from '../tools/crosswalk/rows.ts';
import { code, table } from './markdown.ts';

const conditionText = ({ member, ...terms }: ItemCondition): string => {
  const words = { is: 'is', isNot: 'is not', contains: 'contains', since: 'is not before', until: 'is not after' };
  const stated = Object.entries(words).flatMap(([term, text]) => {
    const value = terms[term as keyof typeof words]; // one of the keys of `words`
    return value === undefined ? [] : [`${text} ${value}`];
  });
  return `${member} ${[...(terms.absent ? ['is absent'] : []), ...stated].join(' and ')}`;
};

const requestText = ({ ask, method, headers, after, times, pages, keep }: CaseSide): string =>
  [
    code(method === 'GET' ? ask : `${method} ${ask}`),
    ...Object.entries(headers).map(([name, value]) => `with ${code(`${name}: ${value}`)}`),
    ...(after === undefined ? [] : [`after ${code(after)}`]),
    ...(times === undefined ? [] : [`${times} times`]),
    ...(pages === 1 ? [] : [`up to ${pages} pages`]),
    ...(keep.length === 0 ? [] : [`only where ${keep.map(conditionText).join(', ')}`]),
  ].join(', ');

/** Status and code of a side, and the headers that it must have. */
const outcomeText = (one: ComparisonCase, form: ComparedForm): string => {
  const { status, error } = expectedOutcomes(one)[form];
  const { adjusted, served, reads } = one[form];
  return [
    [String(status), ...(error === undefined ? [] : [code(error.code)])].join(' '),
    ...(served === undefined ? [] : [`served ${served}`]),
    ...(adjusted.length === 0 ? [] : [code(`X-Params-Adjusted: ${adjusted.join(', ')}`)]),
    ...Object.entries(reads).map(([name, value]) => code(`${name}: ${value}`)),
  ].join(', ');
};

const caseRow = (one: ComparisonCase): readonly string[] => {
  const [current, variant] = comparedForms.map((form) => outcomeText(one, form));
  const requests = comparedForms.map((form) => requestText(one[form]));
  const outcome = current === variant ? `${current}` : `${current}; variant form ${variant}`;
  const each = one.each === undefined ? '' : ` (up to ${one.each} artists)`;
  return [`${one.asks}${each}`, ...requests, one.key, outcome, code(one.name)];
};

const routeText = ({ current, variant }: Pick<PathRow, 'current' | 'variant'>): string =>
  variant === undefined ? `${current} (current form)` : `${current}`;

const isAbout = (route: PathRow, { current, variant }: ComparisonCase): boolean =>
  pathRowOf('current', current.ask) === route ||
  (pathRowOf('current', current.ask) === undefined && pathRowOf('variant', variant.ask) === route);

const checks = (cases: readonly ComparisonCase[]): string => {
  const lists = Object.entries(listChecks);
  const countOf = (name: string) => cases.filter(({ items }) => items === name).length;
  return [
    'What every answer of a list must hold:',
    table(
      ['List', 'What is checked', 'Forms', 'Row of the crosswalk'],
      invariants.map(({ lists: of, says, forms, row }) => [
        of.length === lists.length ? 'every list' : of.join(', '),
        says,
        forms.join(', '),
        row === undefined ? '–' : code(row),
      ]),
    ),
    'What every pair of answers must hold, and every answer of the current form against the whole shortlist:',
    table(
      ['List', 'Rows', 'Order', 'Items are told apart by', 'Cases'],
      lists.map(([name, { table: rows, identity, order }]) => [
        name,
        `${crosswalk.members[rows].length} of ${code(rows)}`,
        order,
        identity.map(code).join(', '),
        String(countOf(name)),
      ]),
    ),
  ].join('\n\n');
};

const head = ['What is checked', 'Current form', 'Variant form', 'Key', 'Answer', 'Case'];

const opening = `# What a gateway is judged by

\`npm run generate\` writes this page from the comparison's cases and checks. \`artist-gateway compare --base-url\` sends these requests: a gateway, in
any language, is right when each has its answer and every check holds. "Key" is the kind of key: a running gateway is asked the
cases of \`full\`, \`none\` and \`unknown\`. \`{…}\` are members of an artist, days and numbers of the data, see [the cases](../../fixtures/cases/README.md).`;

/** The page `docs/generated/acceptance.md`: what every answer must hold, and every case by its route. */
export const renderAcceptance = (cases: readonly ComparisonCase[]): string => {
  const elsewhere = cases.filter((one) => !pathRows.some((route) => isAbout(route, one)));
  const routes = [
    ...pathRows.map((route) => ({ title: routeText(route), of: cases.filter((one) => isAbout(route, one)) })),
    { title: 'Other paths', of: elsewhere },
  ];
  const sections = routes
    .filter(({ of }) => of.length > 0)
    .map(({ title, of }) => `## ${title}\n\n${table(head, of.map(caseRow))}`);
  return `${[opening, checks(cases), ...sections].join('\n\n')}\n`;
};

/** What a run over the example catalogue prints, without its table of cases. */
const renderResult = async (cases: readonly ComparisonCase[]): Promise<string> => {
  const spikes = { floor: 1000, thresholdPercent: 20 };
  const target = await openEmbeddedTarget({ folder: fixtureFolder, spikes });
  const ran = await runCases(cases, target);
  await target.close();
  const { now } = target;
  const named = { heading: 'Both forms of fixtures/catalogue', sides: formTitles, target: '', now, requiredRows: [] };
  const options = { colours: false, show: 1, onlyUnexpected: false };
  const { before, after } = formatReportTexts(createReport({ ...ran, ...named }), options);
  return `\`\`\`\n${before.trimEnd()}\n…\n${after.trim()}\n\`\`\``;
};

/** The guide with the result of a run between its two marks. Throws when a mark is missing. */
export const withResult = async (guide: string, cases: readonly ComparisonCase[]): Promise<string> => {
  const [begin, end] = ['<!-- result: begin -->', '<!-- result: end -->'];
  const [before, rest] = guide.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The guide lacks ${begin} or ${end}.`);
  return `${before}${begin}\n\n${await renderResult(cases)}\n\n${end}${after}`;
};
