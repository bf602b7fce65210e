import { html, type Markup } from './html.ts';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b/g;

/** JSON with its names, texts and other values told apart. */
const colourJson = (text: string): Markup => {
  const pieces: Markup[] = [];
  let place = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match;
    const kind = quoted === undefined ? 'value' : colon === undefined ? 'text' : 'name';
    pieces.push(html`${text.slice(place, match.index)}<span class="${kind}">${quoted ?? whole}</span>${colon}`);
    place = match.index + whole.length;
  }
  return html`${pieces}${text.slice(place)}`;
};

/** A block of code. Commands can be copied; the button appears where there is a script to serve it. */
export const codeBlock = (text: string, language: string): Markup =>
  language === 'sh'
    ? html`<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${text}</code></pre></div>`
    : html`<div class="code"><pre tabindex="0"><code>${language === 'json' ? colourJson(text) : text}</code></pre></div>`;
