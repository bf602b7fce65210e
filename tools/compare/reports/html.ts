import { html, Markup } from '../../../adapters/text/html.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { rowKinds } from '../../migration/mapping/rows.ts';
import type { Cause } from '../causes.ts';
import {
  type CaseResult,
  countExpected,
  countKind,
  formatSkipped,
  isClean,
  type RunResult,
} from '../results.ts';
import { coverageText, type RunReport, type RunVerdict } from '../verdict.ts';
import { pageScript, pageStyle, toClass } from './html-assets.ts';
import { badge, blockHtml, lineHtml } from './html-lines.ts';
import { describeCause, describeFollowers, describeKnown } from './values.ts';

/** Maximum number of causes at the top of the page. The cases show all differences. */
const maxCauses = 40;
/** Maximum number of links from a cause to its cases. */
const maxLinks = 3;

const idOf = ({ name }: CaseResult): string => plainText(`case-${name}`);

const remark = (text: string): Markup => html`<p class="soft block">${text}</p>`;

/** The titles of the sides above their columns, with the first requests of a case. */
const headsHtml = ({ left, right }: RunResult['sides'], paths?: CaseResult['paths']): Markup => {
  const pathHtml = (path: string | undefined) =>
    path !== undefined && html`<br><code>${plainText(path)}</code>`;
  return html`<div class="heads"><span></span><div>${plainText(left)}${pathHtml(paths?.left)}</div><div>${plainText(right)}${pathHtml(paths?.right)}</div></div>`;
};

const summaryHtml = (one: CaseResult): Markup => {
  const { name, asks, items, counts, unexpected } = one;
  const expected = countExpected(one) + counts.renamed;
  const text = `${items.left} / ${items.right} items, ${counts.same} same, ${expected} expected differences`;
  return html`<summary><b>${plainText(name)}</b>${plainText(asks)} <small>${text}</small>${badge(unexpected.length)}</summary>`;
};

const caseHtml = (one: CaseResult, sides: RunResult['sides']): Markup => {
  const { name, asks, paths, blocks, blocksLeftOut, beyondLimit, attempts } = one;
  const isBad = one.unexpected.length > 0;
  const worstFirst = blocks.toSorted(
    (left, right) => Number(isClean(left)) - Number(isClean(right)),
  );
  const searchText = plainText(`${name} ${asks} ${paths.left} ${paths.right}`.toLowerCase());
  const content = [
    summaryHtml(one),
    headsHtml(sides, paths),
    worstFirst.map(blockHtml),
    blocksLeftOut > 0 && remark(`${blocksLeftOut} more items that match the mapping.`),
    beyondLimit.length > 0 &&
      remark(`${beyondLimit.length} items of one form are beyond the limit of the other.`),
    attempts > 1 &&
      remark('Requested again, because data may have changed between the first two answers.'),
  ];
  return html`<details class="case${isBad && ' bad'}" id="${idOf(one)}" data-text="${searchText}"${isBad && html` open`}>${content}</details>`;
};

const linksHtml = (cases: readonly CaseResult[]): Markup => {
  const links = cases
    .slice(0, maxLinks)
    .map(
      (one, index) => html`${index > 0 && ', '}<a href="#${idOf(one)}">${plainText(one.name)}</a>`,
    );
  return html`${links}${cases.length > maxLinks && ` and ${cases.length - maxLinks} more`}`;
};

const causeHtml = (cause: Cause): Markup => {
  const { found, cases, items } = cause;
  const [{ block, line }] = found;
  return html`<article class="found"><header><b>${describeCause(cause)}</b><br><small>${countOf(items, 'item')} in ${linksHtml(cases)}, such as ${plainText(block)}</small></header>${lineHtml(line)}${describeFollowers(cause).map(remark)}</article>`;
};

/** The causes of unexpected differences, each with one example and the cases that show it. */
const causesHtml = (causes: readonly Cause[], sides: RunResult['sides']): Markup | false => {
  if (causes.length === 0) return false;
  const rest = causes.length - maxCauses;
  const remaining = rest > 0 && html`<p>And ${rest} more causes, in their cases.</p>`;
  return html`<h2>Unexpected differences</h2>${headsHtml(sides)}${causes.slice(0, maxCauses).map(causeHtml)}${remaining}`;
};

const filtersHtml = (cases: readonly CaseResult[]): Markup => {
  const boxes = rowKinds.map((kind) => {
    const name = toClass(kind);
    return html`<label class="kind ${name}"><input type="checkbox" checked data-kind="${name}">${kind} <small>${countKind(cases, kind)}</small></label>`;
  });
  return html`<form><input type="search" name="sought" placeholder="Filter cases" aria-label="Filter cases"><label><input type="checkbox" name="onlyBad"> only with unexpected differences</label>${boxes}</form>`;
};

const verdictHtml = ({ text, exitCode }: RunVerdict): Markup =>
  html`<p class="verdict${exitCode !== 0 && ' bad'}">${plainText(text)}</p>`;

/** A run as one self-contained page. Its content security policy allows no request. */
export const renderPage = (report: RunReport): string => {
  const { result, causes, coverage, verdict, known, failures } = report;
  const cases = result.cases.toSorted(
    (left, right) => Math.sign(right.unexpected.length) - Math.sign(left.unexpected.length),
  );
  const main = html`${causesHtml(causes, result.sides)}${filtersHtml(cases)}<h2>Cases</h2>${cases.map((one, index) => html`${index > 0 && '\n'}${caseHtml(one, result.sides)}`)}`;
  const notes = [
    ...failures,
    ...known.accepted.map(describeKnown),
    ...result.notes,
    ...formatSkipped(result),
  ].map((text) => html`<p class="soft">${plainText(text)}</p>`);
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${plainText(result.heading)}</title><style>${new Markup(pageStyle)}</style></head><body>
<header><h1>${plainText(result.heading)}</h1><p class="soft">At ${plainText(result.now)}. ${coverageText(coverage)}</p>${verdictHtml(verdict)}</header><main>${main}</main><footer>${notes}</footer>
<script>${new Markup(pageScript)}</script></body></html>
`.text
  }`;
};
