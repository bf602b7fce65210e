import { markdownCode } from '../../../adapters/text/markdown.ts';
import { plainText } from '../../../adapters/text/plain-text.ts';

/** What Markdown would not show literally, or would turn into a link or a mention. */
const marked = /[\\`*_{}[\]<>|~=@]|^#|&#?\w+;|:\/\/|www\.|^\/\w/i;

/** A word as code where Markdown would read it otherwise, without the marks of a sentence around it. */
const wordToMarkdown = (word: string): string => {
  const [, before = '', bare = word, after = ''] = /^(\(?)(.*?)([.,;:)]*)$/s.exec(word) ?? [];
  return marked.test(bare + after) ? `${before}${markdownCode(bare)}${after}` : word;
};

/**
 * A text as Markdown that a reader of its source reads as well: nothing is escaped with a
 * backslash, what would need it is code.
 */
export const proseMarkdown = (text: string): string =>
  plainText(text).split(/(\s+)/).map(wordToMarkdown).join('');
