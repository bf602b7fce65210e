import { isUtf8 } from 'node:buffer';

const startsWith = (bytes: Buffer, ...magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u0008\u000e-\u001f]/;

/** Names what a file is that cannot be UTF-8 text, from its first bytes; `undefined` when it may be. */
export const describeEncoding = (start: Buffer): string | undefined => {
  if (startsWith(start, 0xff, 0xfe) || startsWith(start, 0xfe, 0xff)) return 'UTF-16';
  if (startsWith(start, 0x1f, 0x8b)) return 'compressed (gzip)';
  // JSON begins with an ASCII character: in UTF-16 without a byte order mark one of the first two bytes is 0.
  if (start.length > 1 && (start[0] === 0) !== (start[1] === 0)) return 'UTF-16';
  return controls.test(start.toString('latin1')) ? 'binary' : undefined;
};

/** The text before the first character that was decoded wrongly, and a little after it. */
const aroundReplacement = (text: string): string => {
  const at = Math.max(text.indexOf('\ufffd'), 0);
  return text.slice(Math.max(0, at - 12), at + 8);
};

/** Decodes a document. `wrongNear` is the text around a byte that is not UTF-8, which reads as U+FFFD. */
export const decodeUtf8 = (bytes: Buffer): { readonly text: string; readonly wrongNear: string | undefined } => {
  const text = bytes.toString('utf8');
  return { text, wrongNear: isUtf8(bytes) ? undefined : aroundReplacement(text) };
};
