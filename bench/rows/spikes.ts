import { get } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { cpuMs, memoryMiB } from '../process/usage.ts';
import { line, type Row } from '../row.ts';
import { startFollowing } from './gateways.ts';

/** Every window in both forms, in an order in which neighbours differ. */
const questionsOf = ({ keys }: Bench) =>
  Array.from({ length: 30 }, (_, index) => ((index * 7) % 30) + 1).flatMap((window) =>
    [keys.current, keys.variant].map((key) => get(`/api/v1/spikes?days=${window}`, key)),
  );

const connections = 48;

/** Lists of spikes when every series of every artist grows: some megabytes each, sixty of them. */
export const spikes: Row = async (bench) => {
  const { artists, options } = bench;
  const now = Date.now();
  const following = await startFollowing(bench, {
    artists,
    series: (artist, index) => growingSeries(artist, index, now),
  });
  const { gateway } = following;
  const requests = questionsOf(bench);
  const measure = async (times: number) => {
    const load = { port: gateway.port, requests, connections, count: requests.length * times };
    await gateway.delay('max'); // begins a new interval
    const before = cpuMs(gateway.pid);
    const { waits, result } = await watchHealth(gateway.port, () => bench.generator.slice(load));
    const microseconds = (cpuMs(gateway.pid) - before) * 1000;
    return { perKilobyte: (microseconds * 1000) / result.bytes, delay: await gateway.delay('max'), waits, ...result };
  };
  const first = await measure(1);
  const again = await measure(options.quick ? 1 : 3);
  const what = `spikes of ${artists} artists that all grow, 30 windows, both forms: processor time for a KB`;
  const size = (first.bytes / requests.length / 1e6).toFixed(1);
  return [
    line(what, again.perKilobyte, 'µs', { atMost: 4 }, [
      `${size} MB each on average, over ${connections} connections; the first time ${first.perKilobyte.toFixed(1)} µs`,
      `${Math.round(memoryMiB(gateway.pid))} MiB afterwards`,
    ]),
    line('p99 of /health for another client while spikes are listed', again.waits.p99, 'ms', { atMost: 20 }, [
      formatWaits(again.waits),
      `the first time: ${formatWaits(first.waits)}`,
    ]),
    line('longest delay of the event loop meanwhile', again.delay, 'ms', {}, [
      `the first time ${first.delay.toFixed(1)} ms`,
    ]),
  ];
};
