import { createCleanup } from '../cleanup.ts';
import { writePartners } from '../faults/partners.ts';
import { startCluster } from './cluster.ts';
import { readExchange } from './exchange.ts';
import { type NemesisGateways, startGateways } from './gateways.ts';
import type { Exchange } from './history.ts';
import { type NemesisPartner, nemesisPartners } from './partners.ts';
import { type Plant, plantEnvironment } from './plants.ts';
import { createRedisClock, type RedisClock } from './redis-clock-faults.ts';
import { startSentinel } from './sentinel.ts';
import { startSingle } from './single.ts';
import { type CountReader, type Fault, openCountReader } from './topology.ts';

export const topologies = { single: startSingle, sentinel: startSentinel, cluster: startCluster } as const;
export type TopologyName = keyof typeof topologies;

export interface WorldOptions {
  readonly topology: TopologyName;
  /** Seconds until Redis' first day ends. */
  readonly beforeDayEnd: number;
  readonly plant?: Plant | undefined;
}

/** Redis, four gateways, and the clocks of both. */
export interface World {
  readonly redisClock: RedisClock;
  readonly gateways: NemesisGateways;
  readonly reader: CountReader;
  readonly faults: readonly Fault[];
  /** What was asked and answered so far. */
  readonly exchanges: readonly Exchange[];
  /** Asks a gateway for the partner's next path and records the exchange. Never rejects. */
  ask(partner: NemesisPartner, gateway: number): Promise<Exchange>;
  /** Waits until Redis has recovered from a fail-over. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const createAsk = (gateways: NemesisGateways, keys: readonly string[], exchanges: Exchange[]): World['ask'] => {
  let asked = 0;
  return async (partner, gateway) => {
    asked += 1;
    const path = partner.paths[asked % partner.paths.length] ?? '';
    const sentAt = performance.now();
    const key = keys[nemesisPartners.indexOf(partner)] ?? '';
    const answer = await gateways.get(gateway, path, key).catch(() => undefined);
    const exchange = readExchange(partner, gateway, sentAt, answer);
    exchanges.push(exchange);
    return exchange;
  };
};

export const startWorld = async ({ topology: name, beforeDayEnd, plant }: WorldOptions): Promise<World> => {
  const cleanup = createCleanup();
  try {
    const folder = await cleanup.makeFolder('nemesis');
    const keys = cleanup.add(await writePartners(nemesisPartners), (one) => one.remove());
    const redisClock = createRedisClock(folder, beforeDayEnd);
    const topology = await cleanup.start(topologies[name](redisClock.clock));
    const settings = { KEYS_DIR: keys.folder, ...(plant && plantEnvironment(plant)) };
    const gateways = await cleanup.start(startGateways(topology, folder, settings));
    const reader = cleanup.add(openCountReader(topology.url(0)), async (one) => one.close());
    const exchanges: Exchange[] = [];
    return {
      redisClock,
      gateways,
      reader,
      faults: [...topology.faults, ...gateways.faults, ...redisClock.faults],
      exchanges,
      ask: createAsk(gateways, keys.keys, exchanges),
      settled: topology.settled,
      stop: () => cleanup.run(),
    };
  } catch (failure) {
    await cleanup.run();
    throw failure;
  }
};
