/** The quantile of some numbers, for a share from 0 to 1; `NaN` without numbers. */
export const quantile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (below + (sorted[Math.floor(middle)] ?? below)) / 2;
};
