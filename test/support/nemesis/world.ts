import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { createCleanup } from '../cleanup.ts';
import { openTestRedisQuotas } from '../redis-quotas.ts';
import { startCluster } from './cluster.ts';
import { createExchange } from './exchange.ts';
import { type NemesisGateways, startGateways } from './gateways.ts';
import type { Exchange } from './history.ts';
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

const plantedBug = new URL('planted-bug.mjs', import.meta.url);

export interface WorldOptions {
  readonly topology: TopologyName;
  /** Seconds until Redis' first day ends. */
  readonly beforeDayEnd: number;
  readonly hasBug: boolean;
}

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
    const exchange = createExchange(subjectOf(partner), windows, sentAt, answer);
    exchanges.push(exchange);
    return exchange;
  };
};

/** Starts Redis, four gateways, and the clocks of both. */
export const startWorld = async ({ topology: name, beforeDayEnd, hasBug }: WorldOptions) => {
  const cleanup = createCleanup();
  try {
    const folder = await cleanup.makeFolder('nemesis');
    await writePartners(folder);
    const redisClock = createRedisClock(folder, beforeDayEnd);
    const topology = await cleanup.start(topologies[name](redisClock.clock));
    const planted = hasBug && { NODE_OPTIONS: `--import=${plantedBug}` };
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
