import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { isSpiking } from '../catalogue/crowd.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { openDatabase } from '../mongodb/database.ts';
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

  const before = { cpu: cpuMs(gateway.pid), bytes: database.traffic().bytes };
  const timer = setInterval(() => database.change(100), refreshMs);
  await wait(refreshes * refreshMs);
  clearInterval(timer);
  const cpu = (cpuMs(gateway.pid) - before.cpu) / refreshes;
  const megabytes = (database.traffic().bytes - before.bytes) / refreshes / 1e6;

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
      `${megabytes.toFixed(1)} MB from MongoDB`,
    ),
  ];
};

/**
 * What a large shortlist costs, only if it is named: it takes minutes. Few artists have series,
 * because the stand-in for MongoDB looks through all series for each artist.
 */
export const large: Row = (bench) => measure(bench, bench.manyArtists);
