import { html, Markup } from '../../adapters/text/html.ts';

const text = String.raw`"""[^]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\x60[^\x60]*\x60`;
const value = String.raw`(?<![\w-])-?\d[\w.+]*\b|\b(?:[tT]rue|[fF]alse|null|None|undefined)\b`;
const keywords =
  'as|async|await|awk|cat|catch|class|const|curl|def|do|done|echo|else|except|exit|export|fi|for|from|function|if|import|in|is|let|local|mv|new|not|of|or|printf|return|sed|sleep|then|throw|try|until|while|with';

/** Each group is a class. */
const json = new RegExp(
  `(?<name>"(?:\\\\.|[^"\\\\])*"(?=:))|(?<text>${text})|(?<value>${value})`,
  'g',
);
const program = new RegExp(
  `(?<comment>(?<=^|\\s)(?:#|//).*)|(?<text>${text})|(?<value>${value})|(?<name>(?<![\\w.-])(?:${keywords})(?![\\w-]))`,
  'gm',
);

/** Adds a class to comments, strings, values and keywords; in JSON to field names. */
const highlight = (code: string, language: string): Markup => {
  if (language === '' || language === 'text') return html`${code}`;
  let end = 0;
  const pieces = [...code.matchAll(language === 'json' ? json : program)].map(
    ({ 0: found, groups = {}, index }) => {
      const [kind = ''] = Object.entries(groups).find(([, part]) => part !== undefined) ?? [];
      const before = code.slice(end, index);
      end = index + found.length;
      return html`${before}<span class="${kind}">${found}</span>`;
    },
  );
  return html`${pieces}${code.slice(end)}`;
};

/** Formats JSON. An object or list is on one line if it fits into `width` characters. */
export const formatJson = (
  json: unknown,
  width = Number.POSITIVE_INFINITY,
  indent = '',
): string => {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const [open, close] = Array.isArray(json) ? '[]' : '{}';
  const items = Object.entries(json).map(
    ([name, item]) => [Array.isArray(json) ? '' : `${JSON.stringify(name)}: `, item] as const,
  );
  const flat = `${open}${items.map(([label, item]) => label + formatJson(item)).join(', ')}${close}`;
  if (items.length === 0 || indent.length + flat.length <= width) return flat;
  const inner = `${indent}  `;
  const lines = items.map(
    ([label, item]) => inner + label + formatJson(item, width - label.length, inner),
  );
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

/** The page's script makes it visible. */
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

/** A block of code with a copy button, and the folded `rest` of its program. */
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

export const foldedBlock = (text: string, language: string, shownLines: number): Markup => {
  const lines = text.split('\n');
  if (lines.length <= shownLines) return codeBlock(text, language);
  return html`<div class="code">${pre(lines.slice(0, shownLines).join('\n'), language)}<details class="rest"><summary>Show all ${lines.length} lines</summary>${pre(text, language)}</details></div>`;
};
