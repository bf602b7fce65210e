import { type Fragment, html, Markup } from '../../../adapters/text/html.ts';
import { renderDocument } from '../../../adapters/text/html-document.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { addDays } from '../../../src/domain/day.ts';
import { countOf, formatDaysLeft, formatDistance } from '../../../src/domain/quantities.ts';
import { type DailyCalls, sharePercent } from '../../migration/daily-calls.ts';
import { requestedMove } from '../../migration/evidence.ts';
import {
  countSteps,
  type StatusReport,
  type StatusRow,
  statusSteps,
} from '../../migration/status.ts';

/** What a page needs beside the report. */
interface PageFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The folder with a guide for each key, relative to the page; `undefined` without guides. */
  readonly guides: string | undefined;
}

const { from, to } = requestedMove;

/** Size of plots in SVG units: width of a day, and height. */
const [dayWidth, plotHeight] = [3, 24];

/**
 * The bars of one form as the path of an SVG, each on top of those below; days without a call have
 * none.
 */
const barPath = (calls: readonly number[], below: readonly number[], scale: number): string =>
  calls
    .map((count, index) => {
      const foot = Math.round(plotHeight - (below[index] ?? 0) * scale);
      const height = Math.ceil(count * scale);
      return count === 0 ? '' : `M${index * dayWidth + 1} ${foot}v-${height}`;
    })
    .join('');

const bars = (kind: 'a' | 'b', path: string): Fragment =>
  path !== '' && html`<path class="${kind}" d="${path}"/>`;

/**
 * Calls a day of one key, by form, against the day with the most; nothing of a key that did not
 * call.
 */
const keyPlot = (calls: DailyCalls): Fragment => {
  const [left = [], moved = []] = [calls[from], calls[to]];
  const most = Math.max(0, ...left.map((count, index) => count + (moved[index] ?? 0)));
  if (most === 0) return undefined;
  const scale = plotHeight / most;
  return html`<svg viewBox="0 0 ${left.length * dayWidth} ${plotHeight}" role="img" aria-label="at most ${most} a day">${bars('a', barPath(left, [], scale))}${bars('b', barPath(moved, left, scale))}</svg>`;
};

/** The share of all calls in the form that partners move to, day by day. */
const sharePlot = ({ calls, form, since, days }: StatusReport): Markup => {
  const shares = Array.from({ length: days }, (_, index) =>
    sharePercent(
      Object.fromEntries(Object.entries(calls).map(([name, of]) => [name, [of[index] ?? 0]])),
      form,
      1,
    ),
  );
  const known = shares.flatMap((share, index) =>
    share === undefined ? [] : [[addDays(since, index), share] as const],
  );
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined)
    return html`<p>No key called in ${countOf(days, 'day')}.</p>`;
  const filled = shares.map((share) => share ?? 0);
  const rest = shares.map((share) => (share === undefined ? 0 : 100 - share));
  const scale = plotHeight / 100;
  return html`<figure><figcaption>Share of all calls, of all keys, in the ${form} form: <b>${last[1]} %</b> on <time>${last[0]}</time>${first[0] < last[0] && html`, ${first[1]} % on <time>${first[0]}</time>`}.</figcaption>
<svg class="fleet" viewBox="0 0 ${days * dayWidth} ${plotHeight}" preserveAspectRatio="none" role="img" aria-label="${known.map(([day, share]) => `${day}: ${share} %`).join(', ')}">${bars('b', barPath(filled, [], scale))}${bars('a', barPath(rest, filled, scale))}</svg>
<p class="ends"><span>${since}</span><span>${addDays(since, days - 1)}</span></p></figure>`;
};

const trendText = ({ trend_percent: trend }: StatusRow): string =>
  trend === undefined ? '' : `, ${trend > 0 ? '+' : ''}${trend} % in a week`;

const hrefOf = (folder: string, { key }: StatusRow): string =>
  `${folder
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/')}/${key}.html`;

const sunsetText = ({ sunset, days_left: left = 0 }: StatusRow): string =>
  sunset === undefined ? '–' : `${sunset}, ${formatDaysLeft(left)}`;

const minuteText = (instant = ''): string => `${instant.slice(0, 16)}Z`;

const trialText = ({ trial }: StatusRow): Fragment =>
  trial &&
  html`<small class="trial">on trial in the ${trial.form} form until <time>${minuteText(trial.until)}</time></small>`;

const rowOf = (
  row: StatusRow,
  { now, guides, days }: PageFacts & Pick<StatusReport, 'days'>,
): Markup => {
  const partner = plainText(row.partner);
  const name =
    guides === undefined ? partner : html`<a href="${hrefOf(guides, row)}">${partner}</a>`;
  const state = row.state === 'active' ? '' : `, ${row.state}`;
  return html`<tr${row.urgent && new Markup(' class="urgent"')}><th scope="row">${name}<small>${row.key}, ${plainText(row.organization_id)}${state}</small></th><td><b class="s${statusSteps.indexOf(row.next)}">${row.next}</b><small>${row.line}</small>${trialText(row)}</td><td>${keyPlot(row.calls)}<small>${row.calls_a_day}${trendText(row)}</small></td><td>${row.changes}</td><td>${row.would_refuse}</td><td>${row.last_at === undefined ? `not in ${days} d` : formatDistance(Date.parse(row.last_at), now)}</td><td>${sunsetText(row)}</td></tr>
`;
};

const titles = ['partner', 'next', 'calls a day', 'to change', 'over quota', 'last call', 'sunset'];

const style = `:root { color-scheme: light dark; --ink: light-dark(#1c2130, #e4e7ee); --soft: light-dark(#5b6375, #9aa3b5); --paper: light-dark(#fff, #12151c);
--line: light-dark(#e2e5ec, #2a303d); --left: light-dark(#c07a12, #e0a24a); --moved: light-dark(#3451c7, #8ea6ff); --bad: light-dark(#a3341f, #f0987f); --good: light-dark(#13713f, #6fd79b) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 84rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 } p { margin: .3rem 0 } a { color: var(--moved) } small { display: block; color: var(--soft); font-size: .85em; font-weight: 400 }
ul { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; list-style: none; padding: 0 } ul b { font-size: 1.2rem; margin-right: .3rem }
figure { margin: 1rem 0 } figcaption { margin-bottom: .4rem } time { white-space: nowrap } .fleet { height: 7rem } svg { display: block; width: 100%; border-bottom: 1px solid var(--line) } .ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .85em }
path { fill: none; stroke-width: 2 } .a { stroke: var(--left) } .b { stroke: var(--moved) } .key::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .35em; background: var(--left); forced-color-adjust: none } .key.moved::before { background: var(--moved) }
table { border-collapse: collapse; width: 100% } th, td { padding: .45rem .6rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top } thead th { color: var(--soft); font-size: .85em }
th { font-weight: 600; overflow-wrap: break-word } th:first-child { width: 17% } td:nth-child(2) { width: 24% } td:nth-child(3) { width: 15%; min-width: 8rem } td { font-variant-numeric: tabular-nums }
.s0 { color: var(--good) } .trial { color: var(--moved); font-weight: 600 } .urgent td:last-child { color: var(--bad); font-weight: 600 }
@media (max-width: 50rem) { thead { display: none } td svg { max-width: 14rem } tr, tbody th, td { display: block; width: auto !important; border: 0; padding: .1rem 0 } tr { border-bottom: 1px solid var(--line); padding: .7rem 0 } td:nth-child(3) small::before { content: "${titles[2]}: " }
td:nth-child(n+4) { display: flex; gap: .5rem } ${titles.map((title, index) => (index > 2 ? `td:nth-child(${index + 1})::before { content: "${title}"; color: var(--soft); flex: 0 0 6rem }` : '')).join(' ')} }
@media print { :root { color-scheme: light } body { max-width: none; padding: 0; font-size: 11px } tr { break-inside: avoid } a { color: inherit } }`;

/** The status of all keys as one HTML page that loads nothing. */
export const statusPage = (report: StatusReport, facts: PageFacts): string => {
  const { keys, since, days } = report;
  const links =
    facts.guides === undefined
      ? 'Write the guides with --guides to link them.'
      : 'A name opens its guide.';
  const body = html`<main><h1>Moving to the ${to} form</h1>
<p>${countOf(keys.length, 'key')} of the ${from} form, by what to do next. ${countOf(days, 'day')} since <time>${since}</time>, as of <time>${minuteText(new Date(facts.now).toISOString())}</time>. ${links}</p>
<ul>${countSteps(keys).map(([step, count]) => html`<li><b class="s${statusSteps.indexOf(step)}">${count}</b>${step}</li>`)}</ul>
${sharePlot(report)}<p><span class="key">${from} form</span> &nbsp; <span class="key moved">${to} form</span></p>
<table><thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>
${keys.map((row) => rowOf(row, { ...facts, days }))}</tbody></table></main>`;
  return renderDocument(`Moving to the ${to} form`, body, { style, script: '' }).text;
};
