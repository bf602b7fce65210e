/** A shell function in a chapter: its name and its closing brace each begin a line. */
const definition = /^(\w+)\(\) \{.*?^\}$/gms;

/**
 * Reads the shell functions that chapters define. Lines that call one run when they are pasted
 * alone: the returned function gives all that they need of the others, each before what calls it;
 * `undefined` when they need none.
 */
export const readShellFunctions = (chapters: string) => {
  const functions = [...chapters.matchAll(definition)].map(([code, name = '']) => ({ code, name }));
  const needsOf = (lines: string): readonly string[] =>
    functions
      .filter(
        ({ code, name }) =>
          !lines.includes(code) && new RegExp(`(?:^|\\$\\(|&&) *${name} `, 'm').test(lines),
      )
      .flatMap(({ code }) => [...needsOf(code), code]);
  return (lines: string): string | undefined => {
    const needs = [...new Set(needsOf(lines))];
    return needs.length === 0 ? undefined : needs.join('\n\n');
  };
};
