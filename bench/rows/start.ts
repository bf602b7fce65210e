import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../mongodb/database.ts';
import { gapMs } from '../process/gateway.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Following, follow } from './gateways.ts';

/** From nothing to the first page: what a deployment or a crash costs. */
const startLine = ({ gateway, artists }: Following, from: string): Line => {
  const what = `cold start with ${artists.length} artists from ${from}, until the first page`;
  return line(what, gateway.startMs / 1000, 's', {}, [
    `${(gateway.startCpuMs / 1000).toFixed(2)} s of processor; a page of 50 is asked for every ${gapMs} ms, as soon as somebody listens`,
  ]);
};

export const start: Row = async (bench) => {
  const database = await openDatabase(bench.keys, { artists: bench.artists });
  const folder = mkdtempSync(join(bench.folder, 'state-'));
  const settings = { STATE_DIR: folder, SHUTDOWN_GRACE_SECONDS: '10' };

  // A gateway that stops leaves a copy of what it served; the next one starts with it.
  const first = await follow(bench, database, settings);
  await first.gateway.stop();
  if (!readdirSync(folder).some((name) => name.startsWith('catalogue')))
    throw new Error('no copy of the catalogue was left');
  const second = await follow(bench, database, settings);
  return [startLine(first, 'MongoDB'), startLine(second, 'the copy on disk')];
};
