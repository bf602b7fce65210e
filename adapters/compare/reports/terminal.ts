import Table from 'cli-table3';
import pc from 'picocolors';
import { rowKinds } from '../../../src/crosswalk/rows.ts';
import {
  type CaseResult,
  countExpected,
  countKind,
  countUnexpected,
  formatSkipped,
  type RunResult,
  type UnexpectedLine,
} from '../results.ts';
import { formatMember, plainText } from './values.ts';

export interface TerminalOptions {
  readonly colours: boolean;
  readonly columns: number;
}

type Colours = ReturnType<typeof pc.createColors>;

const plainStyle = { head: [], border: [], 'padding-left': 1, 'padding-right': 1 };
const thin = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };

/** Maximum number of differences shown of a case. The other reports have all of them. */
const maxShown = 10;

const itemsOf = ({ items }: CaseResult): string =>
  items.current === items.variant ? String(items.current) : `${items.current} / ${items.variant}`;

const casesTable = (cases: readonly CaseResult[], colours: Colours): string => {
  const table = new Table({
    head: ['case', 'items', 'same', 'renamed', 'expected', 'unexpected'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: plainStyle,
    chars: thin,
  });
  for (const one of cases) {
    const { length } = one.unexpected;
    const cells = [one.name, itemsOf(one), one.counts.same, one.counts.renamed, countExpected(one), length];
    table.push(length === 0 ? cells : cells.map((cell) => colours.red(colours.bold(String(cell)))));
  }
  return table.toString();
};

const unexpectedTable = (found: readonly UnexpectedLine[], colours: Colours, columns: number): string => {
  const width = Math.max(20, Math.floor((Math.min(columns, 160) - 4) / 3));
  const table = new Table({
    head: ['current form', 'variant form', 'what is wrong'],
    colWidths: [width, width, width],
    wordWrap: true,
    wrapOnWordBoundary: false,
    style: plainStyle,
  });
  for (const { block, line } of found.slice(0, maxShown)) {
    const what = `${colours.bold(plainText(block))}\n${plainText(line.unexpected ?? '')}\n${colours.dim(line.reason)}`;
    table.push([formatMember(line.current), formatMember(line.variant), what]);
  }
  const rest = found.length - maxShown;
  return rest > 0 ? `${table.toString()}\n  and ${rest} more` : table.toString();
};

const caseText = (one: CaseResult, colours: Colours, columns: number): string =>
  [
    '',
    `${colours.red(colours.bold(`✗ ${one.name}`))}: ${one.asks}`,
    `  current  GET ${one.paths.current}`,
    `  variant  GET ${one.paths.variant}`,
    unexpectedTable(one.unexpected, colours, columns),
  ].join('\n');

const verdictText = (result: RunResult, colours: Colours): string => {
  const count = countUnexpected(result);
  if (count === 0 && result.stopped !== undefined) return colours.red(`Incomplete run. ${result.stopped}`);
  if (count === 0) return colours.green(colours.bold('No unexpected difference.'));
  return colours.red(colours.bold(count === 1 ? 'One unexpected difference.' : `${count} unexpected differences.`));
};

const beyondLimitText = ({ cases }: RunResult): string[] => {
  const counts = cases.flatMap(({ name, beyondLimit: { length } }) => (length > 0 ? [`${name} (${length})`] : []));
  return counts.length === 0 ? [] : [`Beyond the limit of one form, not compared: ${counts.join(', ')}.`];
};

/** A run for a terminal: a line for each case, and unexpected differences with both paths and values. */
export const formatTerminalReport = (result: RunResult, { colours: isColoured, columns }: TerminalOptions): string => {
  const colours = pc.createColors(isColoured);
  const { cases, notes } = result;
  const bad = cases.filter(({ unexpected }) => unexpected.length > 0);
  const totals = rowKinds.map((kind) => `${kind} ${countKind(cases, kind)}`).join(', ');
  return [
    `Both forms of ${result.target}, at ${result.now}`,
    casesTable(cases, colours),
    ...bad.map((one) => caseText(one, colours, columns)),
    '',
    `${cases.length} cases; statements that hold: ${totals}.`,
    ...beyondLimitText(result),
    ...formatSkipped(result).map((text) => colours.dim(text)),
    ...notes.map(plainText),
    verdictText(result, colours),
    '',
  ].join('\n');
};
