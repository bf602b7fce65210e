import type { Memory } from '../process/gateway.ts';

/** What is watched, and the most MiB by which each may grow from the second quarter to the last. */
const members = [
  { name: 'heap', title: 'heap', maxGrowth: 6 },
  { name: 'outside', title: 'outside the heap', maxGrowth: 10 }, // buffers, and what else libraries hold for objects
  { name: 'rss', title: 'resident', maxGrowth: 15 },
] as const;

/** The least memory of each quarter of a run (garbage that is not collected yet only adds), and whether it levels off. */
export const compareQuarters = (readings: readonly Memory[]) => {
  const length = Math.ceil(readings.length / 4);
  const quarters = [0, 1, 2, 3].map((quarter) => readings.slice(quarter * length, (quarter + 1) * length));
  const compared = members.map(({ name, title, maxGrowth }) => {
    const least = quarters.map((quarter) => Math.min(...quarter.map((memory) => memory[name])));
    const [, second = Number.NaN, , last = Number.NaN] = least;
    const figures = least.map((mebibytes) => mebibytes.toFixed(1)).join(', ');
    const growth = `${(last - second).toFixed(1)} MiB from quarter 2 to 4 (at most ${maxGrowth})`;
    return { line: `${title}: least of each quarter ${figures} MiB; ${growth}`, levelsOff: last - second <= maxGrowth };
  });
  return { lines: compared.map(({ line }) => line), levelsOff: compared.every(({ levelsOff }) => levelsOff) };
};
