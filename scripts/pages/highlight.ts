import { html, type Markup } from '../../adapters/text/html.ts';

const quoted = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const value = String.raw`\b(?:[tT]rue|[fF]alse|null|None|undefined|\d[\w.]*)\b`;

const tokens = (comment: string, text: string, words: string): RegExp =>
  new RegExp(
    `(?<comment>${comment})|(?<text>${text})|(?<value>${value})|(?<name>\\b(?:${words})\\b)`,
    'g',
  );

const script = tokens(
  String.raw`//.*|/\*[^]*?\*/`,
  `\`[^\`]*\`|${quoted}`,
  'as|async|await|catch|const|else|export|for|from|if|import|instanceof|interface|let|new|of|readonly|return|throw|try|type|typeof|while',
);

/** What each language has coloured: a group is named after the class of what it finds. */
const languages: Readonly<Record<string, RegExp>> = {
  json: /(?<name>"(?:\\.|[^"\\])*"(?=:))|(?<text>"(?:\\.|[^"\\])*")|(?<value>-?\b(?:\d[\d.eE+-]*|true|false|null)\b)/g,
  python: tokens(
    '#.*',
    `"""[^]*?"""|${quoted}`,
    'and|as|def|else|except|for|from|global|if|import|in|is|not|or|return|try|while|with',
  ),
  typescript: script,
  javascript: script,
  php: tokens(String.raw`//.*|/\*[^]*?\*/`, quoted, 'as|exit|foreach|function|if|new|return|while'),
  sh: tokens(
    String.raw`(?<=^|\s)#.*`,
    `"[^"]*"|'[^']*'`,
    'awk|cat|curl|do|done|echo|else|export|fi|for|if|in|local|mv|printf|python3|return|sed|sleep|sqlite3|then|until|while',
  ),
};

/**
 * Code with a class on each comment, text, value and name (keywords; in JSON members), in the
 * languages that it knows.
 */
export const highlight = (code: string, language: string): Markup => {
  let end = 0;
  const pieces = [...code.matchAll(languages[language] ?? /$^/g)].map(
    ({ 0: found, groups = {}, index }) => {
      const [kind = ''] = Object.entries(groups).find(([, text]) => text !== undefined) ?? [];
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
