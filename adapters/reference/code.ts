import { html, type Markup } from '../text/html.ts';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b/g;

/** JSON with a class on each member name, text and other value. */
const colourJson = (text: string): Markup => {
  const pieces: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match;
    const kind = quoted === undefined ? 'value' : colon === undefined ? 'text' : 'name';
    pieces.push(html`${text.slice(end, match.index)}<span class="${kind}">${quoted ?? whole}</span>${colon}`);
    end = match.index + whole.length;
  }
  return html`${pieces}${text.slice(end)}`;
};

/** A button that copies what follows it; the page's script makes it visible. */
export const copyButton = html`<button type="button" class="copy" hidden>Copy</button>`;

/** A block of code with a button that copies it. Commands are wrapped where the column is too narrow. */
export const codeBlock = (text: string, language: string): Markup =>
  html`<div class="code">${copyButton}<pre tabindex="0"${language === 'sh' && html` class="wrapped"`}><code>${
    language === 'json' ? colourJson(text) : text
  }</code></pre></div>`;
