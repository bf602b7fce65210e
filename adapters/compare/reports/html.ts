import { rowKinds } from '../../../src/crosswalk/rows.ts';
import { groupBy } from '../../../src/domain/group-by.ts';
import { html, Markup } from '../../reference/html.ts';
import {
  type CaseResult,
  countExpected,
  countKind,
  countUnexpected,
  formatSkipped,
  type RunResult,
} from '../results.ts';
import { pageScript, pageStyle } from './html-assets.ts';
import { badge, blockHtml, createReasons, lineHtml, type Reasons, toClass } from './html-lines.ts';
import { plainText } from './values.ts';

/** The most blocks without a difference that a case shows: enough to see how members are paired. */
const maxCleanBlocks = 4;
/** The most differences at the top of the page. The cases show all of them. */
const maxDifferences = 40;
/** The most links from a difference to its cases. */
const maxLinks = 3;

const idOf = ({ name }: CaseResult): string => `case-${name}`;

const remark = (text: string): Markup => html`<p class="soft block">${text}</p>`;

const caseHtml = (one: CaseResult, reasons: Reasons): Markup => {
  const { name, asks, paths, items, counts, beyondLimit, attempts } = one;
  const bad = one.unexpected.length;
  const [badBlocks, cleanBlocks] = [true, false].map((isBad) =>
    one.blocks.filter(({ lines }) => lines.some(({ unexpected }) => unexpected !== undefined) === isBad),
  );
  const shown = [...(badBlocks ?? []), ...(cleanBlocks ?? []).slice(0, maxCleanBlocks)];
  const left = one.blocks.length - shown.length;
  const searchText = `${name} ${asks} ${paths.current} ${paths.variant}`.toLowerCase();
  const summary = `${items.current} / ${items.variant} items, ${counts.same} same, ${countExpected(one) + counts.renamed} expected differences`;
  return html`<details class="case${bad > 0 && ' bad'}" id="${idOf(one)}" data-text="${plainText(searchText)}"${bad > 0 && html` open`}><summary><b>${plainText(name)}</b>${plainText(asks)} <small>${summary}</small>${badge(bad)}</summary><div class="heads"><span></span><div>current form<br><code>${plainText(paths.current)}</code></div><div>variant form<br><code>${plainText(paths.variant)}</code></div></div>${[
    shown.map((block) => blockHtml(block, reasons)),
    left > 0 && remark(`${left} more items, as the crosswalk says.`),
    beyondLimit.length > 0 && remark(`${beyondLimit.length} items of one form lie behind the limit of the other.`),
    attempts > 1 && remark('Asked again, because data may have changed between the first two answers.'),
  ]}</details>`;
};

const linksHtml = (cases: readonly CaseResult[]): Markup => {
  const unique = [...new Set(cases)];
  const links = unique
    .slice(0, maxLinks)
    .map((one, index) => html`${index > 0 && ', '}<a href="#${idOf(one)}">${plainText(one.name)}</a>`);
  return html`${links}${unique.length > maxLinks && ` and ${unique.length - maxLinks} more`}`;
};

/** The unexpected differences, each once with the cases that show it. */
const differencesHtml = (cases: readonly CaseResult[], reasons: Reasons): Markup | false => {
  const found = cases.flatMap((one) => one.unexpected.map(({ block, line }) => ({ block, line, one })));
  const differences = [
    ...groupBy(found, ({ block, line: { current, variant, unexpected } }) =>
      JSON.stringify([block.replace(/^items\[\d+\] /, ''), current, variant, unexpected]),
    ).values(),
  ];
  const articles = differences.slice(0, maxDifferences).map((group) => {
    const [first] = group;
    return (
      first &&
      html`<article class="found"><header><b>${plainText(first.block)}</b> in ${linksHtml(group.map(({ one }) => one))}</header>${lineHtml(first.line, reasons)}</article>`
    );
  });
  const rest = differences.length - articles.length;
  return (
    differences.length > 0 &&
    html`<h2>Unexpected differences</h2><div class="heads"><span></span><div>current form</div><div>variant form</div></div>${articles}${rest > 0 && html`<p>And ${rest} more, in their cases.</p>`}`
  );
};

const filtersHtml = (cases: readonly CaseResult[]): Markup => {
  const boxes = rowKinds.map(
    (kind) =>
      html`<label class="kind ${toClass(kind)}"><input type="checkbox" checked data-kind="${toClass(kind)}">${kind} <small>${countKind(cases, kind)}</small></label>`,
  );
  return html`<form><input type="search" name="sought" placeholder="Filter cases" aria-label="Filter cases"><label><input type="checkbox" name="onlyBad"> only with unexpected differences</label>${boxes}</form>`;
};

const verdictHtml = (result: RunResult): Markup => {
  const count = countUnexpected(result);
  if (count === 0 && result.stopped !== undefined) return html`<p class="verdict bad">Not all was asked</p>`;
  if (count === 0) return html`<p class="verdict">No unexpected difference</p>`;
  const cases = result.cases.filter(({ unexpected }) => unexpected.length > 0).length;
  const differences = count === 1 ? '1 unexpected difference' : `${count} unexpected differences`;
  return html`<p class="verdict bad">${differences} in ${cases === 1 ? 'one case' : `${cases} cases`} of ${result.cases.length}</p>`;
};

/** Data inside a script element, which ends at the first `</script`. */
const scriptJson = (value: unknown): Markup => new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));

/** A run as one self-contained page. Its content security policy allows no request. */
export const renderPage = (result: RunResult): string => {
  const reasons = createReasons();
  const cases = result.cases.toSorted(
    (left, right) => Math.sign(right.unexpected.length) - Math.sign(left.unexpected.length),
  );
  const main = html`${differencesHtml(cases, reasons)}${filtersHtml(cases)}<h2>Cases</h2>${cases.map((one, index) => html`${index > 0 && '\n'}${caseHtml(one, reasons)}`)}`;
  const notes = [...result.notes, ...formatSkipped(result)].map((text) => html`<p class="soft">${plainText(text)}</p>`);
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Comparison of the two forms</title><style>${new Markup(pageStyle)}</style></head><body>
<h1>Both forms of ${plainText(result.target)}</h1><p class="soft">${result.cases.length} cases, at ${plainText(result.now)}</p>${verdictHtml(result)}<main>${main}</main>${notes}
<script type="application/json" id="reasons">${scriptJson(reasons.all)}</script><script>${new Markup(pageScript)}</script></body></html>
`.text
  }`;
};
