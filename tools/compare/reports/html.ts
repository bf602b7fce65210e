import { html, Markup } from '../../../adapters/text/html.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import type { Cause } from '../causes.ts';
import {
  type CaseResult,
  countExpected,
  formatSkipped,
  isClean,
  type RunResult,
} from '../results.ts';
import { coverageText, type RunReport, type RunVerdict } from '../verdict.ts';
import { badge, blockHtml, lineHtml } from './html-lines.ts';
import { describeCause, describeConsequences, describeKnown } from './values.ts';

const maxCauses = 40;
const maxLinks = 3;

const idOf = ({ name }: CaseResult): string => plainText(`case-${name}`);

const warning = (text: string): Markup => html`<p class="soft block">${text}</p>`;

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
  const { paths, blocks, blocksLeftOut, beyondLimit, attempts } = one;
  const isBad = one.unexpected.length > 0;
  const worstFirst = blocks.toSorted(
    (left, right) => Number(isClean(left)) - Number(isClean(right)),
  );
  const content = [
    summaryHtml(one),
    headsHtml(sides, paths),
    worstFirst.map(blockHtml),
    blocksLeftOut > 0 && warning(`${blocksLeftOut} more items that match the mapping.`),
    beyondLimit.length > 0 &&
      warning(`${beyondLimit.length} items of one form are beyond the limit of the other.`),
    attempts > 1 &&
      warning('Requested again, because data may have changed between the first two answers.'),
  ];
  return html`<details class="case${isBad && ' bad'}" id="${idOf(one)}"${isBad && html` open`}>${content}</details>`;
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
  return html`<article class="found"><header><b>${describeCause(cause)}</b><br><small>${countOf(items, 'item')} in ${linksHtml(cases)}, such as ${plainText(block)}</small></header>${lineHtml(line)}${describeConsequences(cause).map(warning)}</article>`;
};

const causesHtml = (causes: readonly Cause[], sides: RunResult['sides']): Markup | false => {
  if (causes.length === 0) return false;
  const rest = causes.length - maxCauses;
  const remaining = rest > 0 && html`<p>And ${rest} more causes, in their cases.</p>`;
  return html`<h2>Unexpected differences</h2>${headsHtml(sides)}${causes.slice(0, maxCauses).map(causeHtml)}${remaining}`;
};

const style = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #14161a); --soft: light-dark(#5d6673, #9aa3af);
  --edge: light-dark(#d9dde3, #343942); --bad: light-dark(#c01c28, #ff7b72); --bad-paper: light-dark(#fdeceb, #3a1a1c);
  --mark: light-dark(#ffb3ad, #8f2b2b); }
body { margin: 0 auto; max-width: 82rem; padding: 1rem; background: var(--paper); font: 15px/1.45 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.1rem; } p { margin: .2rem 0; } a { color: inherit; } summary { cursor: pointer; }
small, .soft, .line i, .side b { color: var(--soft); font-size: .85rem; }
.verdict { font-weight: 650; } .bad, .badge, .wrong { --edge: var(--bad); color: var(--bad); }
.found, details.case { border: 1px solid var(--edge); border-radius: .4rem; margin: .5rem 0; padding: .4rem .7rem; }
.found, .line.bad { background: var(--bad-paper); } .found { border-color: var(--bad); }
.case summary, .block { color: light-dark(#1a1d23, #e6e8ec); } .badge { margin-left: .5rem; }
.heads, .line { display: grid; grid-template-columns: 6.6rem 1fr 1fr; gap: 0 .8rem; }
.line { padding: .15rem 0; border-bottom: 1px solid var(--edge); } .side b { display: block; font-family: ui-monospace, monospace; }
code { font: .82rem/1.35 ui-monospace, monospace; } mark { background: var(--mark); color: light-dark(#1a1d23, #fff); }
.wrong { grid-column: 2 / -1; }`;

const verdictHtml = ({ text, exitCode }: RunVerdict): Markup =>
  html`<p class="verdict${exitCode !== 0 && ' bad'}">${plainText(text)}</p>`;

/** A run as one self-contained page. Its content security policy allows no request. */
export const renderPage = (report: RunReport): string => {
  const { result, causes, coverage, verdict, known, failures } = report;
  const cases = result.cases.toSorted(
    (left, right) => Math.sign(right.unexpected.length) - Math.sign(left.unexpected.length),
  );
  const main = html`${causesHtml(causes, result.sides)}<h2>Cases</h2>${cases.map((one, index) => html`${index > 0 && '\n'}${caseHtml(one, result.sides)}`)}`;
  const notes = [
    ...failures,
    ...known.accepted.map(describeKnown),
    ...result.notes,
    ...formatSkipped(result),
  ].map((text) => html`<p class="soft">${plainText(text)}</p>`);
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${plainText(result.heading)}</title><style>${new Markup(style)}</style></head><body>
<header><h1>${plainText(result.heading)}</h1><p class="soft">At ${plainText(result.now)}. ${coverageText(coverage)}</p>${verdictHtml(verdict)}</header><main>${main}</main><footer>${notes}</footer></body></html>
`.text
  }`;
};
