import { setTimeout as wait } from 'node:timers/promises';
import { ask, bearer, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import type { Gateway } from '../process/gateway.ts';
import { longestDelay, usedMiB } from '../process/gateway-health.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Following, startFollowing } from './following.ts';
import { artistsIn } from './pages.ts';

const refreshSeconds = 2;
const refreshes = 5;
export const refreshOften = { CATALOGUE_REFRESH_SECONDS: String(refreshSeconds) };

/** Long enough for a change to have been followed, whenever it came. */
const settleMs = refreshSeconds * 1_500;

/** The longest that a slow database may keep a change from being followed. */
const timeoutMs = 60_000;

/** Every page is asked for, so that as much has been made ready before a refresh as after it. */
const renderAll = async (bench: Bench, { url }: Gateway): Promise<void> => {
  await recordPages(url, bench.keys.current, Number.POSITIVE_INFINITY, 'limit=100');
  await wait(settleMs); // what is made ready beside the requests
};

/** Changes one of a hundred artists, several times, and lets each change be followed. Throws when it is not. */
const changeAndFollow = async (bench: Bench, { gateway, database, artists }: Following): Promise<void> => {
  const detail = () => ask(gateway.url, `/api/v1/artists/${artists[0]?.id}`, bearer(bench.keys.current));
  for (let turn = 0; turn < refreshes; turn++) {
    const before = await detail();
    await database.change(100);
    const deadline = performance.now() + timeoutMs;
    do {
      if (performance.now() > deadline) throw new Error('a change was not followed');
      await wait(settleMs);
    } while ((await detail()).etag === before.etag);
  }
};

/** The longest delay of the event loop while artists change. */
export const delayLine = async (bench: Bench, following: Following, goal: number): Promise<Line> => {
  const { gateway, artists } = following;
  await longestDelay(gateway); // begins a new interval
  await watchHealth(gateway.port, () => wait(settleMs));
  const unchanged = await longestDelay(gateway);
  const waits = await watchHealth(gateway.port, () => changeAndFollow(bench, following));
  const delay = await longestDelay(gateway);
  return atMost(`longest delay of the event loop while 1 % of ${artists.length} artists change`, goal, 'ms', delay, [
    `the longest of ${refreshes} refreshes; ${unchanged.toFixed(1)} ms while nothing changes and the source is only asked`,
    formatWaits(waits),
  ]);
};

export const refresh: Row = {
  name: 'refresh',
  async measure(bench) {
    const following = await startFollowing(bench, { artists: artistsIn(bench) }, refreshOften);
    const { gateway } = following;
    await renderAll(bench, gateway);
    const usedBefore = await usedMiB(gateway);
    const delay = await delayLine(bench, following, 8);
    await renderAll(bench, gateway);
    const usedAfter = await usedMiB(gateway);
    return [
      delay,
      atMost(`memory in use after ${refreshes} such refreshes, above before`, 2, 'MiB', usedAfter - usedBefore, [
        `${usedBefore.toFixed(1)} MiB before, ${usedAfter.toFixed(1)} MiB after, with garbage collected and every page asked for`,
      ]),
    ];
  },
};
