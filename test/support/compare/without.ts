/** Leaves a member out. */
export const without = <Wire extends object>(wire: Wire, member: keyof Wire): Partial<Wire> => {
  const copy: Partial<Wire> = { ...wire };
  delete copy[member];
  return copy;
};
