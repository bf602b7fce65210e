import { html, type Markup } from './html.ts';

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

/** A block of code. Commands get a button that copies them; the page's script makes it visible. */
export const codeBlock = (text: string, language: string): Markup =>
  language === 'sh'
    ? html`<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${text}</code></pre></div>`
    : html`<div class="code"><pre tabindex="0"><code>${language === 'json' ? colourJson(text) : text}</code></pre></div>`;
