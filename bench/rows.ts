import { often, type Row } from './row.ts';
import { allowed } from './rows/crowd.ts';
import { growth } from './rows/growth.ts';
import { memory } from './rows/memory.ts';
import { page } from './rows/page.ts';
import { peers } from './rows/peers.ts';
import { soak } from './rows/soak.ts';
import { team } from './rows/team.ts';

/**
 * All rows in the order of the table, by the names of `--only`. Rows in `onlyNamed` take long and
 * run only if they are named.
 */
export const rows: ReadonlyMap<string, Row> = new Map([
  ['allowed', allowed],
  ['team', often(team)],
  ['page', often(page)],
  ['peers', often(peers)],
  ['growth', often(growth)],
  ['memory', often(memory)],
  ['soak', soak],
]);

export const onlyNamed: ReadonlySet<string> = new Set(['soak']);
