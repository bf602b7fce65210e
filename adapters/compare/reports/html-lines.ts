import type { Block } from '../checks/items.ts';
import type { Line, MemberName } from '../checks/members.ts';
import { escapeHtml, toClass } from './html-text.ts';
import { type Parted, partFrom, showValue } from './values.ts';

/** Gives each reason a number, so that it stands in the page once. */
export interface Reasons {
  numberOf(reason: string): number;
  readonly all: readonly string[];
}

export const createReasons = (): Reasons => {
  const all: string[] = [];
  const numbers = new Map<string, number>();
  return {
    all,
    numberOf(reason) {
      const known = numbers.get(reason) ?? all.push(reason) - 1;
      numbers.set(reason, known);
      return known;
    },
  };
};

const isBad = ({ unexpected }: Line): boolean => unexpected !== undefined;

const marked = ({ before, own, after }: Parted): string =>
  `${escapeHtml(before)}${own === '' ? '' : `<mark>${escapeHtml(own)}</mark>`}${escapeHtml(after)}`;

const nothing = '<div class="side none">–</div>';

/** A member, and where it differs from its counterpart when it should not. */
const sideHtml = (member: MemberName | undefined, other: MemberName | undefined, parts: boolean): string => {
  if (member === undefined) return nothing;
  const text = showValue(member.value);
  const value = parts && other !== undefined ? marked(partFrom(text, showValue(other.value))) : escapeHtml(text);
  return `<div class="side"><b>${escapeHtml(member.path)}</b><code>${value}</code></div>`;
};

/** One line: the kind, both members, and what is wrong if anything is. */
export const lineHtml = (line: Line, reasons: Reasons): string => {
  const kind = line.kind ?? 'by itself';
  const bad = isBad(line);
  const wrong = bad
    ? `<p class="wrong">${escapeHtml(line.unexpected ?? '')} <small>${escapeHtml(line.reason)}</small></p>`
    : '';
  return (
    `<div class="line ${toClass(kind)}${bad ? ' bad' : ''}" data-why="${reasons.numberOf(line.reason)}"><i>${kind}</i>` +
    `${sideHtml(line.current, line.variant, bad)}${sideHtml(line.variant, line.current, bad)}${wrong}</div>`
  );
};

const series = /^(.*history\.[^.[]+)\[\d+\]/;

const seriesOf = (line: Line): string | undefined =>
  isBad(line) ? undefined : series.exec(line.current?.path ?? '')?.[1];

/** A series takes one line, however many points it has: only its points that differ are told one by one. */
const foldedHtml = (path: string, lines: readonly Line[], reasons: Reasons): string => {
  const dates = lines.filter((line) => line.current?.path.endsWith('.date')).map((line) => line.current?.value);
  const [first = '', last = ''] = [dates[0], dates.at(-1)].map(String);
  const text = `${dates.length} points, ${first} to ${last}`;
  const why = reasons.numberOf(lines[0]?.reason ?? '');
  return (
    `<div class="line only-current" data-why="${why}"><i>only current</i>` +
    `<div class="side"><b>${escapeHtml(path)}</b><code>${escapeHtml(text)}</code></div>${nothing}</div>`
  );
};

const linesHtml = (lines: readonly Line[], reasons: Reasons): string => {
  const parts: string[] = [];
  for (let place = 0; place < lines.length; place++) {
    const line = lines[place];
    if (line === undefined) continue;
    const path = seriesOf(line);
    if (path === undefined) {
      parts.push(lineHtml(line, reasons));
      continue;
    }
    const rest = lines.slice(place).findIndex((other) => seriesOf(other) !== path);
    const points = lines.slice(place, rest === -1 ? undefined : place + rest);
    parts.push(foldedHtml(path, points, reasons));
    place += points.length - 1;
  }
  return parts.join('');
};

/** A block of lines: the response, or one item of each form. Open where something is wrong. */
export const blockHtml = ({ title, lines }: Block, reasons: Reasons): string => {
  const bad = lines.filter(isBad).length;
  const badge = bad === 0 ? '' : `<span class="badge">${bad} unexpected</span>`;
  return (
    `<details class="block"${bad === 0 ? '' : ' open'}><summary>${escapeHtml(title)} <small>${lines.length} lines</small>` +
    `${badge}</summary>${linesHtml(lines, reasons)}</details>`
  );
};

export const hasBadLine = ({ lines }: Block): boolean => lines.some(isBad);
