import type { Row } from './row.ts';
import { fleet } from './rows/fleet.ts';
import { growth } from './rows/growth.ts';
import { gzip } from './rows/gzip.ts';
import { histories } from './rows/histories.ts';
import { history } from './rows/history.ts';
import { large } from './rows/large.ts';
import { memory } from './rows/memory.ts';
import { names } from './rows/names.ts';
import { notModified } from './rows/not-modified.ts';
import { page } from './rows/page.ts';
import { express, fastify } from './rows/peers.ts';
import { rateLimit } from './rows/rate-limit.ts';
import { refresh } from './rows/refresh.ts';
import { shadow } from './rows/shadow.ts';
import { spikes } from './rows/spikes.ts';
import { start } from './rows/start.ts';

/** Everything that is measured, in the order of the table, by the name that `--only` takes. */
export const rows: ReadonlyMap<string, Row> = new Map([
  ['page', page],
  ['fastify', fastify],
  ['express', express],
  ['rate-limit', rateLimit],
  ['not-modified', notModified],
  ['gzip', gzip],
  ['history', history],
  ['histories', histories],
  ['spikes', spikes],
  ['growth', growth],
  ['names', names],
  ['shadow', shadow],
  ['refresh', refresh],
  ['start', start],
  ['memory', memory],
  ['large', large],
  ['fleet', fleet],
]);
