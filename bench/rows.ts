import { often, type Row } from './row.ts';
import { allowed, changingCrowd, crowd } from './rows/crowd.ts';
import { fleet, redisGroups } from './rows/fleet.ts';
import { growth } from './rows/growth.ts';
import { gzip } from './rows/gzip.ts';
import { histories, history } from './rows/histories.ts';
import { large } from './rows/large.ts';
import { memory } from './rows/memory.ts';
import { refused, unread } from './rows/others.ts';
import { notModified, page } from './rows/page.ts';
import { peers } from './rows/peers.ts';
import { refresh } from './rows/refresh.ts';
import { soak } from './rows/soak.ts';
import { spikes } from './rows/spikes.ts';
import { start } from './rows/start.ts';

/**
 * Everything that is measured, in the order of the table, by the name that `--only` takes. Those
 * of `byThemselves` take long, and are only measured when they are asked for.
 */
export const rows: ReadonlyMap<string, Row> = new Map([
  ['allowed', allowed],
  ['page', often(page)],
  ['peers', peers],
  ['not-modified', notModified],
  ['gzip', gzip],
  ['history', history],
  ['crowd', crowd],
  ['changing-crowd', changingCrowd],
  ['unread', unread],
  ['refused', refused],
  ['histories', often(histories)],
  ['spikes', spikes],
  ['growth', growth],
  ['refresh', refresh],
  ['start', often(start)],
  ['memory', memory],
  ['fleet', fleet],
  ['redis-groups', redisGroups],
  ['large', large],
  ['soak', soak],
]);

export const byThemselves: ReadonlySet<string> = new Set(['redis-groups', 'large', 'soak']);
