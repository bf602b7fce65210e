import { get } from '../answers.ts';
import { makeKeys } from '../catalogue/keys.ts';
import { download } from '../load/connection.ts';
import { line, type Row } from '../row.ts';
import { startCrowd } from './crowd.ts';

/** One artist of so many changes in each round, and so many keys are replaced. */
const changeEvery = 7;
const keysEach = 10;

/**
 * For leaks, by itself: the crowd asks, new keys ask what nobody asked before, and artists and keys
 * change, for `--minutes`.
 */
export const soak: Row = async (bench) => {
  const often = { CATALOGUE_REFRESH_SECONDS: '1', KEYS_REFRESH_SECONDS: '1' };
  const { database, gateway, all, documents } = await startCrowd(bench, often);
  const used: number[] = [];
  let known: ReturnType<typeof makeKeys>[] = []; // of the last round: the gateway has loaded them
  const end = performance.now() + bench.options.minutes * 60_000;
  while (performance.now() < end) {
    const issued = Array.from({ length: keysEach }, makeKeys);
    database.replaceKeys([
      ...documents,
      ...[...known, ...issued].flatMap((keys) => keys.documents),
    ]);
    database.change(changeEvery);
    const asking = known.map(({ current }, index) =>
      get(`/api/v1/artists?name=${used.length}.${index}`, current),
    );
    const { port } = gateway;
    await bench.generator.slice({
      port,
      requests: [...asking, ...all.requests],
      connections: 8,
      ms: 4_000,
    });
    await download(port, get('/api/v1/artists?include=history&limit=100', bench.keys.current));
    used.push((await gateway.collected()).used);
    known = issued;
  }
  const length = Math.ceil(used.length / 4);
  const least = [0, 1, 2, 3].map((quarter) =>
    Math.min(...used.slice(quarter * length, (quarter + 1) * length)),
  );
  const [, second = Number.NaN, , last = Number.NaN] = least;
  return [
    line(
      'memory in use, from the second to the last quarter: growth',
      last - second,
      'MiB',
      { atMost: 10 },
      [
        `least of each quarter of ${bench.options.minutes} minutes: ${least.map((each) => each.toFixed(1)).join(', ')} MiB`,
      ],
    ),
  ];
};
