/** A number and its noun: `1 key`, `2 keys`; `several` is the noun of more than one, and of none. */
export const countOf = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;
