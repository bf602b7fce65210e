import { plainText } from './values.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands in an element or an attribute: whatever artists call themselves, it is no markup. */
export const escapeHtml = (text: string): string =>
  plainText(text).replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter);

/** A text as a class name. */
export const toClass = (text: string): string => text.replaceAll(/[^a-z0-9]+/gi, '-');

/** Data inside a script element, which ends at the first `</script`. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
