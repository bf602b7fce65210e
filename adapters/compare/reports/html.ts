import { type Kind, kinds } from '../../../src/crosswalk/rows.ts';
import {
  type CaseResult,
  countExpected,
  countUnexpected,
  type FoundLine,
  formatSkipped,
  type RunResult,
} from '../results.ts';
import { blockHtml, createReasons, hasBadLine, lineHtml, type Reasons } from './html-lines.ts';
import { pageScript } from './html-script.ts';
import { pageStyle } from './html-style.ts';
import { escapeHtml, scriptJson, toClass } from './html-text.ts';

/** Items without a difference are told in full this often in a case: enough to see how members are paired. */
const mostCleanBlocks = 4;
/** Differences that are told at the top; all of them stand in their cases. */
const mostFound = 40;
const mostLinks = 3;

const idOf = ({ name }: CaseResult): string => `case-${name}`;

const headsHtml = ({ paths }: CaseResult): string =>
  '<div class="heads"><span></span>' +
  `<div>current form<br><code>${escapeHtml(paths.current)}</code></div>` +
  `<div>variant form<br><code>${escapeHtml(paths.variant)}</code></div></div>`;

const remarksOf = ({ outOfReach, asked }: CaseResult, left: number): string[] => [
  ...(left > 0 ? [`${left} more items, as the crosswalk says.`] : []),
  ...(outOfReach.length > 0 ? [`${outOfReach.length} items of one form lie behind the limit of the other.`] : []),
  ...(asked > 1 ? ['Asked again, because data may have changed between the first two answers.'] : []),
];

const caseHtml = (one: CaseResult, reasons: Reasons): string => {
  const bad = one.unexpected.length;
  const clean = one.blocks.filter((block) => !hasBadLine(block));
  const told = new Set(clean.slice(0, mostCleanBlocks));
  // What is wrong comes first: nobody should have to look for it.
  const blocks = [...one.blocks.filter(hasBadLine), ...one.blocks.filter((block) => told.has(block))];
  const left = one.blocks.length - blocks.length;
  const text = `${one.name} ${one.asks} ${one.paths.current} ${one.paths.variant}`.toLowerCase();
  const counts = `${one.items.current} / ${one.items.variant} items, ${one.counts.same} same, ${countExpected(one) + one.counts.renamed} expected differences`;
  return (
    `<details class="case${bad > 0 ? ' bad' : ''}" id="${idOf(one)}" data-text="${escapeHtml(text)}"${bad > 0 ? ' open' : ''}>` +
    `<summary><b>${escapeHtml(one.name)}</b>${escapeHtml(one.asks)} <small>${counts}</small>` +
    `${bad > 0 ? `<span class="badge">${bad} unexpected</span>` : ''}</summary>` +
    headsHtml(one) +
    blocks.map((block) => blockHtml(block, reasons)).join('') +
    remarksOf(one, left)
      .map((remark) => `<p class="soft block">${remark}</p>`)
      .join('') +
    '</details>'
  );
};

/** The same difference, wherever it shows. */
interface Difference {
  readonly found: FoundLine;
  readonly cases: readonly CaseResult[];
}

const differencesIn = (cases: readonly CaseResult[]): readonly Difference[] => {
  const differences = new Map<string, Difference>();
  for (const one of cases) {
    for (const found of one.unexpected) {
      const { current, variant, unexpected } = found.line;
      const text = JSON.stringify([found.block.replace(/^items\[\d+\] /, ''), current, variant, unexpected]);
      const known = differences.get(text);
      differences.set(text, { found: known?.found ?? found, cases: [...(known?.cases ?? []), one] });
    }
  }
  return [...differences.values()];
};

const linksHtml = (cases: readonly CaseResult[]): string => {
  const links = [...new Set(cases)].map((one) => `<a href="#${idOf(one)}">${escapeHtml(one.name)}</a>`);
  const rest = links.length - mostLinks;
  return `${links.slice(0, mostLinks).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

const foundHtml = (cases: readonly CaseResult[], reasons: Reasons): string => {
  const differences = differencesIn(cases);
  if (differences.length === 0) return '';
  const told = differences
    .slice(0, mostFound)
    .map(
      ({ found, cases: where }) =>
        `<article class="found"><header><b>${escapeHtml(found.block)}</b> in ${linksHtml(where)}</header>` +
        `${lineHtml(found.line, reasons)}</article>`,
    );
  const rest = differences.length - told.length;
  const heads = '<div class="heads"><span></span><div>current form</div><div>variant form</div></div>';
  return `<h2>Unexpected differences</h2>${heads}${told.join('')}${rest > 0 ? `<p>And ${rest} more, in their cases.</p>` : ''}`;
};

const kindCount = (cases: readonly CaseResult[], kind: Kind): number =>
  cases.reduce((total, { counts }) => total + counts[kind], 0);

const filtersHtml = (cases: readonly CaseResult[]): string => {
  const boxes = kinds.map(
    (kind) =>
      `<label class="kind ${toClass(kind)}"><input type="checkbox" checked data-kind="${toClass(kind)}">` +
      `${kind} <small>${kindCount(cases, kind)}</small></label>`,
  );
  return (
    '<form><input type="search" name="sought" placeholder="Filter cases" aria-label="Filter cases">' +
    `<label><input type="checkbox" name="onlyBad"> only with unexpected differences</label>${boxes.join('')}</form>`
  );
};

const verdictHtml = (result: RunResult): string => {
  const count = countUnexpected(result);
  if (count === 0 && result.stopped !== undefined) return '<p class="verdict bad">Not all was asked</p>';
  if (count === 0) return '<p class="verdict">No unexpected difference</p>';
  const cases = result.cases.filter(({ unexpected }) => unexpected.length > 0).length;
  const differences = count === 1 ? '1 unexpected difference' : `${count} unexpected differences`;
  return `<p class="verdict bad">${differences} in ${cases === 1 ? 'one case' : `${cases} cases`} of ${result.cases.length}</p>`;
};

const notesHtml = (result: RunResult): string =>
  [...result.notes, ...formatSkipped(result)].map((text) => `<p class="soft">${escapeHtml(text)}</p>`).join('');

/** A run as one page that needs nothing but itself: no byte from anywhere else, which its policy makes sure of. */
export const renderPage = (result: RunResult): string => {
  const reasons = createReasons();
  const cases = result.cases.toSorted(
    (left, right) => Math.sign(right.unexpected.length) - Math.sign(left.unexpected.length),
  );
  const body =
    `<h1>Both forms of ${escapeHtml(result.subject)}</h1><p class="soft">${result.cases.length} cases, at ${escapeHtml(result.now)}</p>` +
    `${verdictHtml(result)}<main>${foundHtml(cases, reasons)}${filtersHtml(cases)}<h2>Cases</h2>` +
    `${cases.map((one) => caseHtml(one, reasons)).join('\n')}</main>${notesHtml(result)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Comparison of the two forms</title><style>${pageStyle}</style></head><body>
${body}
<script type="application/json" id="reasons">${scriptJson(reasons.all)}</script><script>${pageScript}</script></body></html>
`;
};
