import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { isSpiking } from '../catalogue/crowd.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { openDatabase } from '../mongodb/database.ts';
import { stoppingAll } from '../process/started.ts';
import { cpuMs, memoryMiB } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { follow } from './gateways.ts';

/** Refreshes of which one costs the mean. */
const refreshes = 2;
const refreshMs = 15_000;

const measure = async (bench: Bench, count: number): Promise<readonly Line[]> => {
  const now = Date.now();
  const database = await openDatabase(bench.keys, {
    artists: count,
    series: (artist, index) => (isSpiking(index) ? growingSeries(artist, index, now) : []),
  });
  const folder = mkdtempSync(join(bench.folder, 'state-'));
  const settings = { STATE_DIR: folder, NODE_OPTIONS: '', SHUTDOWN_GRACE_SECONDS: '30' };
  const named = (what: string, figure: number, unit: string, ...notes: string[]): Line =>
    line(`${count} artists, one in thirty with series: ${what}`, figure, unit, {}, notes);

  const first = await follow(bench, database, settings);
  const { gateway } = first;
  const ready = memoryMiB(gateway.pid);
  await recordPages(gateway.url, bench.keys.current, { query: 'limit=100' });
  const rendered = memoryMiB(gateway.pid);
  const { used } = await gateway.collected();

  const spend = async (change: () => void) => {
    const before = { cpu: cpuMs(gateway.pid), ...database.traffic() };
    const timer = setInterval(change, refreshMs);
    await wait(refreshes * refreshMs);
    clearInterval(timer);
    const after = { cpu: cpuMs(gateway.pid), ...database.traffic() };
    const each = (figure: 'cpu' | 'bytes' | 'commands') =>
      (after[figure] - before[figure]) / refreshes;
    return `${each('commands').toFixed(0)} commands, ${(each('bytes') / 1e6).toFixed(2)} MB`;
  };
  await gateway.longestDelay(); // begins a new interval
  const cpuBefore = cpuMs(gateway.pid);
  const changing = await spend(() => database.change(100));
  const cpu = (cpuMs(gateway.pid) - cpuBefore) / refreshes;
  const delay = await gateway.longestDelay();
  const still = await spend(() => {});

  await gateway.stop();
  const copy = statSync(join(folder, 'catalogue.copy')).size / 2 ** 20;
  const second = await follow(bench, database, settings);
  await second.gateway.stop();
  const processor = (ms: number): string => `${(ms / 1_000).toFixed(1)} s of processor`;
  return [
    named(
      'memory, every page sent',
      rendered,
      'MiB',
      `${Math.round(ready)} MiB when ready`,
      `${Math.round(used)} MiB in use with garbage collected`,
    ),
    named('cold start from MongoDB', gateway.startMs / 1_000, 's', processor(gateway.startCpuMs)),
    named(
      'cold start from the copy on disk',
      second.gateway.startMs / 1_000,
      's',
      processor(second.gateway.startCpuMs),
    ),
    named('copy on disk', copy, 'MiB'),
    named(
      'processor time in 15 s without a request, 1 % of the artists changing',
      cpu,
      'ms',
      `MongoDB: ${changing}; when nothing changes ${still}`,
      `longest delay of the event loop ${delay.toFixed(0)} ms`,
    ),
  ];
};

/**
 * What a large shortlist costs, beside the promised size, by itself: it takes minutes. Few artists
 * have series, since what stands in for MongoDB looks through all of them for each artist.
 */
export const large: Row = async (bench) => [
  ...(await stoppingAll(() => measure(bench, bench.artists))),
  ...(await stoppingAll(() => measure(bench, bench.manyArtists))),
];
