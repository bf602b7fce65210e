import { html, type Markup } from '../../adapters/text/html.ts';

const text = String.raw`"""[^]*?"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\x60[^\x60]*\x60`;
const value = String.raw`(?<![\w-])-?\d[\w.+]*\b|\b(?:[tT]rue|[fF]alse|null|None|undefined)\b`;
const keywords =
  'as|async|await|awk|cat|catch|class|const|curl|def|do|done|echo|else|except|exit|export|fi|for|from|function|if|import|in|is|let|local|mv|new|not|of|or|printf|return|sed|sleep|then|throw|try|until|while|with';

/** What is coloured in JSON and in programs. A group is the class of what it finds. */
const json = new RegExp(
  `(?<name>"(?:\\\\.|[^"\\\\])*"(?=:))|(?<text>${text})|(?<value>${value})`,
  'g',
);
const program = new RegExp(
  `(?<comment>(?<=^|\\s)(?:#|//).*)|(?<text>${text})|(?<value>${value})|(?<name>(?<![\\w.-])(?:${keywords})(?![\\w-]))`,
  'gm',
);

/** Code with a class on each comment, text, value and keyword; in JSON on each name of a field. */
export const highlight = (code: string, language: string): Markup => {
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

/** JSON with each object and list on one line if it fits into `width` characters. */
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
