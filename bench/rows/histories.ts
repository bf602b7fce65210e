import { ask, bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { download } from '../load/download.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { memoryMiB, watchPeak } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Filled, fillDatabase, follow } from './gateways.ts';

/** Ten clients at once; four of them take 10 MB a second. */
const clients = 10;
const slowClients = 4;
const slowBytesPerMs = 10_000;

const path = '/api/v1/artists?include=history&limit=100';

/** Downloads of all clients at once: the size of each, and whether it was streamed. */
const downloadAll = async (port: number, key: string) => {
  const each = Array.from({ length: clients }, (_, index) =>
    download(port, path, bearer(key), index < slowClients ? slowBytesPerMs : undefined),
  );
  const done = await Promise.all(each);
  const bytes = done[0]?.bytes ?? 0;
  if (done.some((one) => one.bytes !== bytes)) throw new Error('answers of other lengths');
  return { megabytes: bytes / 1e6, streamed: done.every(({ announced }) => !announced) };
};

/** A gateway that has just started: no history was asked for before. Memory in MiB, delays in milliseconds. */
const observe = async (bench: Bench, filled: Filled) => {
  const { gateway } = await follow(bench, filled);
  const { current } = bench.keys;
  await ask(gateway.url, '/api/v1/artists?limit=100', bearer(current));
  await gateway.collect();
  const idle = memoryMiB(gateway.pid);
  await gateway.delay('max'); // begins a new interval
  const readPeak = watchPeak(gateway.pid);
  const { waits, result } = await watchHealth(gateway.port, () => downloadAll(gateway.port, current));
  const [peak, delay] = [readPeak(), await gateway.delay('max')];
  await gateway.collect();
  const after = memoryMiB(gateway.pid);
  await gateway.stop();
  const memoryNote = `idle ${Math.round(idle)} MiB, afterwards ${Math.round(after)} MiB with garbage collected`;
  return { ...result, waits, aboveIdle: peak - idle, delay, memoryNote };
};

/** How often it is measured over all runs of the bench, at least: every time counts. */
const times = 5;

/** A hundred artists with their histories, about fifty megabytes, asked for by ten clients at once. */
export const histories: Row = async (bench) => {
  const filled = await fillDatabase(bench, { artists: bench.artists, histories: 100 });
  const first = await observe(bench, filled);
  const each = [first];
  while (each.length < times / bench.options.runs) each.push(await observe(bench, filled));
  const longest = each.reduce((most, one) => (one.waits.longest > most.waits.longest ? one : most));
  /** The highest figure of all times. */
  const highest = (what: string, atMost: number, unit: string, figures: number[], ...notes: string[]): Line => {
    const all = `the highest of ${figures.map((figure) => figure.toFixed(1)).join(', ')}`;
    return line(what, Math.max(...figures), unit, { atMost, inEveryRun: true }, all, ...notes);
  };
  const streamed = each.every((one) => one.streamed);
  return [
    highest(
      '100 artists with history, ten at once: memory above idle',
      48,
      'MiB',
      each.map(({ aboveIdle }) => aboveIdle),
      `${clients} × ${Math.round(first.megabytes)} MB, ${slowClients} of the clients at 10 MB/s; nothing of it had been asked for before`,
      first.memoryNote,
    ),
    {
      what: 'no such answer is put together whole',
      goal: 'streamed',
      figure: streamed ? 'streamed' : 'length told beforehand',
      met: streamed,
    },
    highest(
      'longest delay of the event loop meanwhile, by its own account',
      50,
      'ms',
      each.map(({ delay }) => delay),
    ),
    highest(
      'longest wait of another client for /health meanwhile',
      40,
      'ms',
      each.map(({ waits }) => waits.longest),
      formatWaits(longest.waits),
    ),
  ];
};
