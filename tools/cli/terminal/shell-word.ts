/** A text in quotes, as one word of a shell. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
