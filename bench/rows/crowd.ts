import { recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { crowdArtist, crowdRequests, isSpiking } from '../catalogue/crowd.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { addOrganizations } from '../catalogue/keys.ts';
import { type Subject, takeTurn } from '../load/compare.ts';
import { openDatabase } from '../mongodb/database.ts';
import type { Settings } from '../process/gateway.ts';
import { memoryMiB } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { startOverDatabase } from './gateways.ts';

const organizations = 1_000;

interface CrowdOptions {
  readonly settings?: Settings;
  /** Of the gateway's package, by default of this checkout. */
  readonly folder?: string;
  /** `undefined`: no run uses them up. */
  readonly quotas?: 'usual';
}

/** Starts a gateway with the keys of a crowd, and returns the crowd's requests. */
export const startCrowd = async (bench: Bench, options: CrowdOptions = {}) => {
  const { settings, folder, quotas } = options;
  const { added, texts, keys } = addOrganizations(bench.keys, organizations, quotas);
  const now = Date.now();
  const database = await openDatabase(keys, {
    artists: bench.artists,
    artistAt: crowdArtist,
    series: (artist, index) => (isSpiking(index) ? growingSeries(artist, index, now) : []),
  });
  const { gateway, artists } = await startOverDatabase(bench, database, settings, folder);
  const pages = await recordPages(gateway.url, bench.keys.current);
  const requests = crowdRequests(
    artists,
    pages.map(({ path }) => path),
    texts,
  );
  return {
    gateway,
    database,
    artists,
    added,
    keys,
    all: { ...gateway, name: 'the crowd', requests },
  };
};

/** Requests a second that the default quotas allow 1,000 organizations and 1,000 variant keys. */
export const allowedRate = 195;

/** Milliseconds. The artists change at the beginning of each run. */
export const allowedMs = 15_000;

interface Traffic {
  readonly connections: number;
  readonly commands: number;
  readonly bytes?: number;
}

const formatTraffic = (before: Traffic, after: Traffic): string => {
  const megabytes = ((after.bytes ?? 0) - (before.bytes ?? 0)) / 1e6;
  return (
    `${after.connections} connections, ${after.commands - before.commands} commands` +
    (megabytes > 0 ? `, ${megabytes.toFixed(1)} MB` : '')
  );
};

/**
 * The load that the quotas allow: 1,000 organizations and 1,000 variant keys at their limits, with
 * all routes, while 1 % of the artists change every 15 seconds.
 */
export const allowed: Row = async (bench) => {
  const { gateway, database, all } = await startCrowd(bench);
  await warmUp(bench, all);
  const lines: Line[] = [];
  for (let run = 0; run < bench.options.runs; run++) {
    const pace = { ms: allowedMs, rate: allowedRate };
    const before = { mongodb: database.traffic(), redis: await bench.redis.traffic() };
    database.change(100);
    const turn = await takeTurn(bench, [all], pace);
    const mongodb = formatTraffic(before.mongodb, database.traffic());
    const redis = formatTraffic(before.redis, await bench.redis.traffic());
    const asked = `${allowedRate} requests/s sent, ${Math.round(turn.rate)} answered`;
    const each = `${turn.cpuUs.toFixed(0)} µs of processor a request, ${turn.redisUs.toFixed(1)} of Redis'`;
    const stores = `in ${allowedMs / 1_000} s: Redis ${redis}; MongoDB ${mongodb}`;
    const what = (figure: string) =>
      `the load that quotas allow, 1 % of the artists changing every 15 s: ${figure}`;
    lines.push(
      line(what('share of a core'), turn.busy * 100, '%', {}, [asked, each, stores]),
      line(what('p50'), turn.p50, 'ms', {}),
      line(what('p99'), turn.p99, 'ms', {}),
      line(what('memory'), memoryMiB(gateway.pid), 'MiB', {}),
    );
  }
  return lines;
};

/** Takes long, since a gateway deflates forty lists a second. */
export const warmUp = (bench: Bench, all: Subject) =>
  takeTurn(bench, [all], { ms: bench.options.warmUpMs * 4 });
