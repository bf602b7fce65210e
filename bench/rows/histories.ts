import { ask, bearer } from '../answers.ts';
import { download } from '../load/download.ts';
import { tellWaits, watchHealth } from '../load/watch-health.ts';
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
  const each = Array.from({ length: clients }, (_, place) =>
    download(url + path, bearer(key), place < slowClients ? slowBytesPerMs : undefined),
  );
  const done = await Promise.all(each);
  const [first] = done;
  if (first === undefined || done.some(({ bytes }) => bytes !== first.bytes))
    throw new Error('answers of other lengths');
  return { megabytes: first.bytes / 1e6, streamed: done.every(({ announced }) => !announced) };
};

/** A hundred artists with their histories, about fifty megabytes, asked for by ten clients at once. */
export const histories: Row = {
  name: 'histories',
  async measure(bench) {
    const { gateway, database } = await startFollowing(bench, { artists: artistsIn(bench), histories: 100 });
    await ask(gateway.url, '/api/v1/artists?limit=100', bearer(bench.keys.current));
    await gateway.collect();
    await longestDelay(gateway);
    const idle = memoryMiB(gateway.pid);
    const readPeak = watchPeak(gateway.pid);
    let downloads: Downloads = { megabytes: 0, streamed: false };
    const waits = await watchHealth(gateway.port, async () => {
      downloads = await downloadAll(gateway.url, bench.keys.current);
    });
    const peak = readPeak();
    const delay = await longestDelay(gateway);
    await gateway.collect();
    const size = `${clients} × ${Math.round(downloads.megabytes)} MB, ${slowClients} of the clients at 10 MB/s`;
    const streamed: Line = {
      what: 'no such answer is put together whole',
      goal: 'streamed',
      figure: downloads.streamed ? 'streamed' : 'length told beforehand',
      met: downloads.streamed,
      notes: [],
    };
    return [
      atMost('100 artists with history, ten at once: memory above idle', 64, 'MiB', peak - idle, [
        size,
        database.description,
        `idle ${Math.round(idle)} MiB, peak ${Math.round(peak)} MiB, ${Math.round(memoryMiB(gateway.pid))} MiB afterwards with garbage collected`,
        'nothing of it had been asked for before',
      ]),
      streamed,
      atMost('longest delay of the event loop meanwhile, by its own account', 50, 'ms', delay, []),
      atMost('longest wait of another client for /health meanwhile', 50, 'ms', waits.longest, [tellWaits(waits)]),
    ];
  },
};
