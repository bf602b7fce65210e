import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/support/wait.ts';
import { ask, bearer, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import type { Gateway } from '../process/gateway.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Following, startFollowing } from './gateways.ts';

const refreshSeconds = 2;
const refreshes = 5;
const refreshOften = { CATALOGUE_REFRESH_SECONDS: String(refreshSeconds) };

/** Long enough for a change to have been followed, whenever it came. */
const settleMs = refreshSeconds * 1_500;

/** Every page is asked for, so that as much has been made ready before a refresh as after it. */
const renderAll = async (bench: Bench, { url }: Gateway): Promise<void> => {
  await recordPages(url, bench.keys.current, { query: 'limit=100' });
  await wait(settleMs); // what is made ready beside the requests
};

/** Changes one of a hundred artists, several times, and lets each change be followed. Throws when it is not. */
const changeAndFollow = async (bench: Bench, { gateway, database, artists }: Following): Promise<void> => {
  const readTag = async (): Promise<string | null> => {
    const detail = await ask(gateway.url, `/api/v1/artists/${artists[0]?.id}`, bearer(bench.keys.current));
    return detail.headers.get('etag');
  };
  for (let turn = 0; turn < refreshes; turn++) {
    const before = await readTag();
    database.change(100);
    await wait(settleMs);
    await until('a change is followed', async () => (await readTag()) !== before);
  }
};

/** The longest delay of the event loop while artists change. */
const delayLine = async (bench: Bench, following: Following): Promise<Line> => {
  const { gateway, artists } = following;
  await gateway.delay('max'); // begins a new interval
  await watchHealth(gateway.port, () => wait(settleMs));
  const unchanged = await gateway.delay('max');
  const { waits } = await watchHealth(gateway.port, () => changeAndFollow(bench, following));
  const what = `longest delay of the event loop while 1 % of ${artists.length} artists change`;
  const note = `the longest of ${refreshes} refreshes; ${unchanged.toFixed(1)} ms while nothing changes and the source is only asked`;
  return line(what, await gateway.delay('max'), 'ms', { atMost: 20 }, [note, formatWaits(waits)]);
};

export const refresh: Row = async (bench) => {
  const following = await startFollowing(bench, { artists: bench.artists }, refreshOften);
  const { gateway } = following;
  await renderAll(bench, gateway);
  const before = await gateway.usedMiB();
  const delay = await delayLine(bench, following);
  await renderAll(bench, gateway);
  const after = await gateway.usedMiB();
  const what = `memory in use after ${refreshes} such refreshes, above before`;
  const note = `${before.toFixed(1)} MiB before, ${after.toFixed(1)} MiB after, with garbage collected and every page asked for`;
  return [delay, line(what, after - before, 'MiB', { atMost: 2 }, [note])];
};
