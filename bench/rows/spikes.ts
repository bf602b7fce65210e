import { ask, bearer } from '../answers.ts';
import { generateOwnHistory, growingSeries } from '../catalogue/histories.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { cpuMs } from '../process/usage.ts';
import { line, type Row } from '../row.ts';
import { startFollowing } from './gateways.ts';

const windows = Array.from({ length: 30 }, (_, index) => index + 1);
const days = 40;

/** One artist in this many grows enough to spike. */
const growing = 20;

/** Each window of spikes once, so that none is cached. */
export const spikes: Row = async (bench) => {
  const { artists, keys } = bench;
  const now = Date.now();
  const { gateway } = await startFollowing(bench, {
    artists,
    series: (artist, index) =>
      index % growing === 0
        ? growingSeries(artist, index, now)
        : generateOwnHistory(artist, days, now),
  });
  await gateway.longestDelay(); // begins a new interval
  const before = cpuMs(gateway.pid);
  const { waits } = await watchHealth(gateway.port, async () => {
    for (const window of windows)
      await ask(gateway.url, `/api/v1/spikes?days=${window}`, bearer(keys.current));
  });
  const cpu = (cpuMs(gateway.pid) - before) / windows.length;
  const what = `a window of spikes that is not cached, ${artists} artists of which one in twenty grows: processor time`;
  const delay = await gateway.longestDelay();
  return [
    line(what, cpu, 'ms', {}),
    line('longest delay of the event loop while spikes are listed', delay, 'ms', {}, [
      formatWaits(waits),
    ]),
  ];
};
