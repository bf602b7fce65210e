import { ask, bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { download } from '../load/download.ts';
import { formatWaits, type Waits, watchHealth } from '../load/watch-health.ts';
import { longestDelay } from '../process/gateway-health.ts';
import { memoryMiB, watchPeak } from '../process/usage.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Filled, fillDatabase, follow } from './following.ts';
import { artistsIn } from './pages.ts';

/** Ten clients at once; four of them take 10 MB a second. */
const clients = 10;
const slowClients = 4;
const slowBytesPerMs = 10_000;

const path = '/api/v1/artists?include=history&limit=100';

interface Downloads {
  readonly megabytes: number;
  readonly streamed: boolean;
}

const downloadAll = async (port: number, key: string): Promise<Downloads> => {
  const each = Array.from({ length: clients }, (_, index) =>
    download(port, path, bearer(key), index < slowClients ? slowBytesPerMs : undefined),
  );
  const done = await Promise.all(each);
  const [first] = done;
  if (first === undefined || done.some(({ bytes }) => bytes !== first.bytes))
    throw new Error('answers of other lengths');
  return { megabytes: first.bytes / 1e6, streamed: done.every(({ announced }) => !announced) };
};

interface Seen extends Downloads {
  /** Memory (RSS) above what was held before, at its peak, in MiB. */
  readonly aboveIdle: number;
  readonly delay: number;
  readonly waits: Waits;
  readonly notes: readonly string[];
}

/** A gateway that has just started: no history was asked for before. */
const observe = async (bench: Bench, filled: Filled): Promise<Seen> => {
  const { gateway } = await follow(bench, filled);
  const { current } = bench.keys;
  await ask(gateway.url, '/api/v1/artists?limit=100', bearer(current));
  await gateway.collect();
  const idle = memoryMiB(gateway.pid);
  await longestDelay(gateway); // begins a new interval
  const readPeak = watchPeak(gateway.pid);
  let downloads: Downloads = { megabytes: 0, streamed: false };
  const waits = await watchHealth(gateway.port, async () => {
    downloads = await downloadAll(gateway.port, current);
  });
  const [peak, delay] = [readPeak(), await longestDelay(gateway)];
  await gateway.collect();
  const after = memoryMiB(gateway.pid);
  await gateway.stop();
  const notes = [`idle ${Math.round(idle)} MiB, afterwards ${Math.round(after)} MiB with garbage collected`];
  return { ...downloads, waits, aboveIdle: peak - idle, delay, notes };
};

/** How often it is measured over all runs of the bench, at least: every time counts. */
const times = 5;

/** The time of which a figure is the highest. */
const worst = (seen: readonly [Seen, ...Seen[]], figure: (one: Seen) => number): Seen =>
  seen.reduce((most, one) => (figure(one) > figure(most) ? one : most));

/** A hundred artists with their histories, about fifty megabytes, asked for by ten clients at once. */
export const histories: Row = {
  name: 'histories',
  async measure(bench): Promise<Line[]> {
    const filled = await fillDatabase(bench, { artists: artistsIn(bench), histories: 100 });
    const each: [Seen, ...Seen[]] = [await observe(bench, filled)];
    const here = Math.ceil(times / bench.options.runs);
    while (each.length < here) each.push(await observe(bench, filled));
    const highest = (
      what: string,
      goal: number,
      unit: string,
      figure: (one: Seen) => number,
      notes: readonly string[],
    ): Line => {
      const all = `the highest of ${each.map((one) => figure(one).toFixed(1)).join(', ')}`;
      return atMost(what, goal, unit, figure(worst(each, figure)), [all, ...notes], 'every run');
    };
    const streamed = each.every((one) => one.streamed);
    const load = `${clients} × ${Math.round(each[0].megabytes)} MB, ${slowClients} of the clients at 10 MB/s; nothing of it had been asked for before`;
    const longest = (one: Seen): number => one.waits.longest;
    return [
      highest('100 artists with history, ten at once: memory above idle', 48, 'MiB', (one) => one.aboveIdle, [
        load,
        ...each[0].notes,
      ]),
      {
        what: 'no such answer is put together whole',
        goal: 'streamed',
        figure: streamed ? 'streamed' : 'length told beforehand',
        met: streamed,
        notes: [],
      },
      highest('longest delay of the event loop meanwhile, by its own account', 50, 'ms', (one) => one.delay, []),
      highest('longest wait of another client for /health meanwhile', 40, 'ms', longest, [
        formatWaits(worst(each, longest).waits),
      ]),
    ];
  },
};
