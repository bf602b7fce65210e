/** Bugs that are planted into a built gateway, to show that the checker finds them. */
export type Plant = 'double refund' | 'late window' | 'other limit' | 'fail-open';

/** The environment of a gateway with a bug. */
export const plantEnvironment = (plant: Plant): Record<string, string> => ({
  NEMESIS_PLANT: plant,
  NODE_OPTIONS: `--import=${new URL('planted-bugs.mjs', import.meta.url)}`,
});
