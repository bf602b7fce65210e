import { type Fragment, html, type Markup } from '../text/html.ts';
import { highlight } from './highlight.ts';

/** A button that copies what follows it; the page's script makes it visible. */
export const copyButton = html`<button type="button" class="copy" hidden>Copy</button>`;

const pre = (text: string, language: string): Markup =>
  html`<pre tabindex="0"><code>${highlight(text, language)}</code></pre>`;

/**
 * A block of code with a button that copies it, and before it the rest of its program, which is
 * folded.
 */
export const codeBlock = (text: string, language: string, rest?: string): Markup =>
  html`<div class="code">${copyButton}${pre(text, language)}${
    rest !== undefined &&
    html`<details><summary>and the ${rest.split('\n').length} lines that make it run</summary>${pre(rest, language)}</details>`
  }</div>`;

/** A table that scrolls by itself where the column is too narrow. */
export const table = (heads: readonly Fragment[], rows: Fragment): Markup =>
  html`<div class="table" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

/**
 * What makes an element a target of links and of the page's search: `kind` stands beside the name
 * among the results, `words` are what readers may call it besides.
 */
export const anchor = (id: string, name: string, kind: string, words?: string): Markup =>
  html` id="${id}" data-find="${name}" data-kind="${kind}"${words !== undefined && html` data-words="${words}"`}`;
