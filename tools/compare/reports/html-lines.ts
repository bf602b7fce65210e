import { html, type Markup } from '../../../adapters/text/html.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';
import { type Group, groupBy } from '../../../src/domain/groups.ts';
import type { ComparedLine, ComparedMember, LineBlock } from '../checks/lines.ts';
import { isUnexpected } from '../results.ts';
import { differenceFrom, formatValue } from './values.ts';

export const badge = (unexpected: number): Markup | false =>
  unexpected > 0 && html`<span class="badge">${unexpected} unexpected</span>`;

const absent = html`<div class="side none">–</div>`;

const memberHtml = (path: string, value: Markup | string): Markup =>
  html`<div class="side"><b>${plainText(path)}</b><code>${value}</code></div>`;

const markDifference = (text: string, other: string): Markup => {
  const { before, own, after } = differenceFrom(text, other);
  return html`${before}${own !== '' && html`<mark>${own}</mark>`}${after}`;
};

/** A member; with its difference from the other one marked, if it must not differ. */
const sideHtml = (
  member: ComparedMember | undefined,
  other: ComparedMember | undefined,
  isBad: boolean,
): Markup => {
  if (member === undefined) return absent;
  const text = formatValue(member.value);
  return memberHtml(
    member.path,
    isBad && other ? markDifference(text, formatValue(other.value)) : text,
  );
};

/**
 * One line: its kind, both members, and the violation if there is one; its reason is its tooltip.
 */
export const lineHtml = (line: ComparedLine): Markup => {
  const { kind, left, stored, reason, unexpected } = line;
  const right = line.right ?? (stored && { ...stored, path: `stored ${stored.path}`.trim() });
  const isBad = isUnexpected(line);
  const error =
    isBad &&
    html`<p class="wrong">${plainText(unexpected ?? '')} <small>${plainText(reason)}</small></p>`;
  return html`<div class="line${isBad && ' bad'}" title="${plainText(reason)}"><i>${kind}</i>${sideHtml(
    left,
    right,
    isBad,
  )}${sideHtml(right, left, isBad)}${error}</div>`;
};

/** The path of the series that a line is about, unless the line is wrong. */
const seriesOf = (line: ComparedLine): string | undefined =>
  isUnexpected(line) ? undefined : /^(.*history\.[^.[]+)\[\d+\]/.exec(line.left?.path ?? '')?.[1];

const seriesHtml = (path: string, lines: Group<ComparedLine>): Markup => {
  const dates = lines
    .filter(({ left }) => left?.path.endsWith('.date'))
    .map(({ left }) => left?.value);
  const text = `${dates.length} points, ${String(dates[0])} to ${String(dates.at(-1))}`;
  return html`<div class="line" title="${plainText(lines[0].reason)}"><i>only current</i>${memberHtml(path, plainText(text))}${absent}</div>`;
};

/** A block of lines, with a series folded into one line. It is open if a line is wrong. */
export const blockHtml = ({ title, lines }: LineBlock): Markup => {
  const bad = lines.filter(isUnexpected).length;
  const rows = [...groupBy(lines, (line) => seriesOf(line) ?? line)].map(([about, group]) =>
    typeof about === 'string' ? seriesHtml(about, group) : lineHtml(about),
  );
  return html`<details class="block"${bad > 0 && html` open`}><summary>${plainText(title)} <small>${lines.length} lines</small>${badge(bad)}</summary>${rows}</details>`;
};
