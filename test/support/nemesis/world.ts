import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { createCleanup } from '../cleanup.ts';
import type { Answer } from '../gateway-process.ts';
import { openTestRedisQuotas } from '../redis-quotas.ts';
import { startCluster } from './cluster.ts';
import { type NemesisGateways, startGateways } from './gateways.ts';
import type { Exchange, WindowHeader } from './history.ts';
import { keyOf, limitsOf, type NemesisPartner, subjectOf, writePartners } from './partners.ts';
import { createRedisClock } from './redis-clock-faults.ts';
import { startSentinel } from './sentinel.ts';
import { startSingle } from './single.ts';

export const topologies = {
  single: startSingle,
  sentinel: startSentinel,
  cluster: startCluster,
} as const;
export type TopologyName = keyof typeof topologies;

/** Bugs that are planted into a built gateway, to show that the checker finds them. */
export type Plant = 'double refund' | 'late window' | 'other limit' | 'fail-open';

const plantedBugs = new URL('planted-bugs.mjs', import.meta.url);

export interface WorldOptions {
  readonly topology: TopologyName;
  /** Seconds until Redis' first day ends. */
  readonly beforeDayEnd: number;
  readonly plant?: Plant | undefined;
}

const served = new Set([200, 304, 400, 403, 404]);

const outcomeOf = (answer: Answer | undefined): Exchange['outcome'] => {
  if (answer === undefined) return 'unknown';
  if (served.has(answer.status)) return 'granted';
  if (answer.status === 429) return 'refused';
  return answer.status === 401 ? 'refunded' : 'unknown';
};

const headerOf = ({ headers }: Answer, window: QuotaWindow): WindowHeader[] => {
  const prefix = window === 'day' ? 'x-ratelimit-day' : 'x-ratelimit';
  if (headers[`${prefix}-limit`] === undefined) return [];
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`${prefix}-${name}`]),
  );
  return [{ window, limit: limit ?? 0, remaining: remaining ?? 0, reset: reset ?? 0 }];
};

/** Asks a gateway for the partner's next path and records the exchange. Never rejects. */
const createAsk = (gateways: NemesisGateways, exchanges: Exchange[]) => {
  let asked = 0;
  return async (partner: NemesisPartner, gateway: number): Promise<Exchange> => {
    asked += 1;
    const path = partner.paths[asked % partner.paths.length] ?? '';
    const sentAt = performance.now();
    const answer = await gateways.get(gateway, path, keyOf(partner)).catch(() => undefined);
    // the keys of a record of windows
    const windows = Object.keys(limitsOf(partner)) as QuotaWindow[];
    const outcome = outcomeOf(answer);
    const retryAfter = answer?.headers['retry-after'];
    const refusedBy = answer?.body.includes('quota_exceeded') ? 'day' : windows[0];
    const exchange: Exchange = {
      ...{ subject: subjectOf(partner), sentAt, answeredAt: performance.now(), outcome },
      refusedBy: outcome === 'refused' ? refusedBy : undefined,
      retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
      windows: answer === undefined ? [] : windows.flatMap((window) => headerOf(answer, window)),
    };
    exchanges.push(exchange);
    return exchange;
  };
};

/** Starts Redis, four gateways, and the clocks of both. */
export const startWorld = async ({ topology: name, beforeDayEnd, plant }: WorldOptions) => {
  const cleanup = createCleanup();
  try {
    const folder = await cleanup.makeFolder('nemesis');
    await writePartners(folder);
    const redisClock = createRedisClock(folder, beforeDayEnd);
    const topology = await cleanup.start(topologies[name](redisClock.clock));
    const planted = plant && { NEMESIS_PLANT: plant, NODE_OPTIONS: `--import=${plantedBugs}` };
    const gateways = await cleanup.start(
      startGateways(topology, folder, { KEYS_DIR: folder, ...planted }),
    );
    // The quotas, read past the gateways.
    const reader = cleanup.add(openTestRedisQuotas(topology.url(0)), ({ quotas }) =>
      quotas.close(),
    );
    const exchanges: Exchange[] = [];
    return {
      ...{ redisClock, gateways, reader, exchanges },
      faults: [...topology.faults, ...gateways.faults, ...redisClock.faults],
      ask: createAsk(gateways, exchanges),
      settled: topology.settled,
      stop: () => cleanup.run(),
    };
  } catch (failure) {
    await cleanup.run();
    throw failure;
  }
};

export type World = Awaited<ReturnType<typeof startWorld>>;
