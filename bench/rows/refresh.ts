import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/support/wait.ts';
import { ask, bearer, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { line, type Row } from '../row.ts';
import { type Following, startFollowing } from './gateways.ts';

const refreshSeconds = 2;
const refreshes = 5;
const refreshOften = { CATALOGUE_REFRESH_SECONDS: String(refreshSeconds) };

/** Long enough for a change to have been followed, whenever it came. */
const settleMs = refreshSeconds * 1_500;

/**
 * Changes one of a hundred artists, several times, and lets each change be followed. Throws when it
 * is not.
 */
const changeAndFollow = async (
  bench: Bench,
  { gateway, database, artists }: Following,
): Promise<void> => {
  const readTag = async (): Promise<string | null> => {
    const detail = await ask(
      gateway.url,
      `/api/v1/artists/${artists[0]?.id}`,
      bearer(bench.keys.current),
    );
    return detail.headers.get('etag');
  };
  for (let turn = 0; turn < refreshes; turn++) {
    const before = await readTag();
    database.change(100);
    await wait(settleMs);
    await until('a change is followed', async () => (await readTag()) !== before);
  }
};

/** The longest delay of the event loop while artists change, of which every page was asked for. */
export const refresh: Row = async (bench) => {
  const following = await startFollowing(bench, { artists: bench.artists }, refreshOften);
  const { gateway, artists } = following;
  await recordPages(gateway.url, bench.keys.current, { query: 'limit=100' });
  await wait(settleMs); // what is made ready beside the requests
  await gateway.longestDelay(); // begins a new interval
  const { waits } = await watchHealth(gateway.port, () => changeAndFollow(bench, following));
  const what = `longest delay of the event loop while 1 % of ${artists.length} artists change`;
  return [
    line(what, await gateway.longestDelay(), 'ms', {}, [
      `the longest of ${refreshes} refreshes`,
      formatWaits(waits),
    ]),
  ];
};
