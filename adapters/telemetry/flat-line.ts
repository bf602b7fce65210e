/** Text that is its own JSON between quotes. */
const plain = /^[ !#-[\]-~]*$/;

const jsonOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : JSON.stringify(value);
  return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : undefined;
};

/**
 * The members of flat facts as JSON text, each after a comma, in their order and without those that are `undefined`: what pino
 * writes, in one pass. `undefined` for facts with an error or with anything but texts, numbers and booleans, which are pino's.
 */
export const flatMembers = (facts: object): string | undefined => {
  const members = facts as Readonly<Record<string, unknown>>; // any object has members of unknown types
  let text = '';
  // Every request passes here, and `Object.entries` takes twice the time.
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    const json = name === 'err' ? undefined : jsonOf(value);
    if (json === undefined) return undefined;
    text += `,"${name}":${json}`;
  }
  return text;
};
