import type { Gateway } from '../process/gateway.ts';
import { memoryMiB } from '../process/usage.ts';

/** Memory of a process in MiB. */
export interface Memory {
  /** Objects in the heap. */
  readonly heap: number;
  /** Bytes of buffers and of what else libraries hold for objects. */
  readonly outside: number;
  /** Resident. */
  readonly rss: number;
}

const members = ['heap', 'outside', 'rss'] as const;
const titles = { heap: 'heap', outside: 'outside the heap', rss: 'resident' } as const;

/** The most by which each may grow from the second quarter to the last, in MiB. */
const maxGrowth: Memory = { heap: 6, outside: 10, rss: 15 };

export const readMemory = async (gateway: Gateway): Promise<Memory> => {
  const metrics = await gateway.metrics();
  const mebibytes = (name: string): number => (metrics.get(name) ?? Number.NaN) / 2 ** 20;
  return {
    heap: mebibytes('nodejs_heap_size_used_bytes'),
    outside: mebibytes('nodejs_external_memory_bytes'),
    rss: memoryMiB(gateway.pid),
  };
};

/** The least of some readings: garbage that is not collected yet only adds. */
const leastOf = (readings: readonly Memory[]): Memory => ({
  heap: Math.min(...readings.map(({ heap }) => heap)),
  outside: Math.min(...readings.map(({ outside }) => outside)),
  rss: Math.min(...readings.map(({ rss }) => rss)),
});

/** The least memory of each quarter of a run, and whether it levels off. */
export const compareQuarters = (
  readings: readonly Memory[],
): { readonly lines: string[]; readonly levelsOff: boolean } => {
  const length = Math.ceil(readings.length / 4);
  const quarters = [0, 1, 2, 3].map((quarter) => leastOf(readings.slice(quarter * length, (quarter + 1) * length)));
  const [, second, , last] = quarters;
  if (second === undefined || last === undefined) throw new Error('there are four quarters');
  const growth = members.map((member) => ({ member, by: last[member] - second[member], max: maxGrowth[member] }));
  const format = (memory: Memory) => members.map((member) => memory[member].toFixed(1).padStart(18)).join('');
  return {
    lines: [
      `least MiB  ${members.map((member) => titles[member].padStart(18)).join('')}`,
      ...quarters.map((memory, quarter) => `quarter ${quarter + 1}  ${format(memory)}`),
      ...growth.map(
        ({ member, by, max }) => `${titles[member]}: ${by.toFixed(1)} MiB from quarter 2 to 4 (at most ${max})`,
      ),
    ],
    levelsOff: growth.every(({ by, max }) => by <= max),
  };
};
