import { html, Markup } from '../../adapters/text/html.ts';
import { highlight } from './highlight.ts';

/** A button that copies what follows it; the page's script makes it visible. */
export const copyButton = html`<button type="button" class="copy" hidden>Copy</button>`;

/** Marks lines, counted from 1. No token may span the end of a marked line. */
const markLines = ({ text }: Markup, marked: ReadonlySet<number>): Markup =>
  new Markup(
    text
      .split('\n')
      .map((line, index) => (marked.has(index + 1) ? `<mark>${line}</mark>` : line))
      .join('\n'),
  );

const pre = (text: string, language: string, marked: ReadonlySet<number> = new Set()): Markup =>
  html`<pre tabindex="0"><code>${markLines(highlight(text, language), marked)}</code></pre>`;

/**
 * A block of code with a button that copies it, and before it the rest of its program, which is
 * folded. `marked` are the numbers of lines that are marked.
 */
export const codeBlock = (
  text: string,
  language: string,
  rest?: string,
  marked?: ReadonlySet<number>,
): Markup =>
  html`<div class="code">${copyButton}${pre(text, language, marked)}${
    rest !== undefined &&
    html`<details><summary>and the ${rest.split('\n').length} lines that it needs</summary>${pre(rest, language)}</details>`
  }</div>`;

/** The first lines of a long text, and the whole text behind a summary. */
export const foldedBlock = (text: string, language: string, shownLines: number): Markup => {
  const lines = text.split('\n');
  if (lines.length <= shownLines) return codeBlock(text, language);
  return html`<div class="code">${pre(lines.slice(0, shownLines).join('\n'), language)}<details class="rest"><summary>Show all ${lines.length} lines</summary>${pre(text, language)}</details></div>`;
};
