import { ask, bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { download } from '../load/download.ts';
import { formatWaits, type Waits, watchHealth } from '../load/watch-health.ts';
import type { Gateway } from '../process/gateway.ts';
import { longestDelay } from '../process/gateway-health.ts';
import { memoryMiB, watchPeak } from '../process/usage.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { startFollowing } from './following.ts';
import { artistsIn } from './pages.ts';

/** Ten clients at once; four of them take 10 MB a second. */
const clients = 10;
const slowClients = 4;
const slowBytesPerMs = 10_000;

const path = '/api/v1/artists?include=history&limit=100';

interface Downloads {
  readonly megabytes: number;
  readonly streamed: boolean;
}

const downloadAll = async (url: string, key: string): Promise<Downloads> => {
  const each = Array.from({ length: clients }, (_, index) =>
    download(url + path, bearer(key), index < slowClients ? slowBytesPerMs : undefined),
  );
  const done = await Promise.all(each);
  const [first] = done;
  if (first === undefined || done.some(({ bytes }) => bytes !== first.bytes))
    throw new Error('answers of other lengths');
  return { megabytes: first.bytes / 1e6, streamed: done.every(({ announced }) => !announced) };
};

interface Seen extends Downloads {
  /** Memory (RSS) above what was held before, at its peak, in MiB. */
  readonly aboveIdle: number;
  readonly delay: number;
  readonly waits: Waits;
}

const observe = async ({ keys }: Bench, gateway: Gateway, idle: number): Promise<Seen> => {
  await longestDelay(gateway); // begins a new interval
  const readPeak = watchPeak(gateway.pid);
  let downloads: Downloads = { megabytes: 0, streamed: false };
  const waits = await watchHealth(gateway.port, async () => {
    downloads = await downloadAll(gateway.url, keys.current);
  });
  return { ...downloads, waits, aboveIdle: readPeak() - idle, delay: await longestDelay(gateway) };
};

const formatSeen = ({ aboveIdle, delay, waits }: Seen): string =>
  `${Math.round(aboveIdle)} MiB above idle, longest delay ${Math.round(delay)} ms; ${formatWaits(waits)}`;

/** A hundred artists with their histories, about fifty megabytes, asked for by ten clients at once. */
export const histories: Row = {
  name: 'histories',
  async measure(bench): Promise<Line[]> {
    const { gateway, database } = await startFollowing(bench, { artists: artistsIn(bench), histories: 100 });
    await ask(gateway.url, '/api/v1/artists?limit=100', bearer(bench.keys.current));
    await gateway.collect();
    const idle = memoryMiB(gateway.pid);
    const first = await observe(bench, gateway, idle);
    const again = await observe(bench, gateway, idle);
    await gateway.collect();
    const { megabytes, streamed } = first;
    return [
      atMost('100 artists with history, ten at once: memory above idle', 64, 'MiB', first.aboveIdle, [
        `${clients} × ${Math.round(megabytes)} MB, ${slowClients} of the clients at 10 MB/s; nothing of it had been asked for before`,
        `idle ${Math.round(idle)} MiB, afterwards ${Math.round(memoryMiB(gateway.pid))} MiB with garbage collected`,
        `once more, the same: ${formatSeen(again)}`,
        database.description,
      ]),
      {
        what: 'no such answer is put together whole',
        goal: 'streamed',
        figure: streamed ? 'streamed' : 'length told beforehand',
        met: streamed,
        notes: [],
      },
      atMost('longest delay of the event loop meanwhile, by its own account', 50, 'ms', first.delay, []),
      atMost('longest wait of another client for /health meanwhile', 50, 'ms', first.waits.longest, [
        formatWaits(first.waits),
      ]),
    ];
  },
};
