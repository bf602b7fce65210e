import type { Catalogue } from './catalogue/catalogue.ts';
import { createDisclosure } from './catalogue/disclosure.ts';
import { createCatalogueLoader } from './catalogue/loader.ts';
import { createSpikeFinder, type SpikeFinder } from './catalogue/spikes.ts';
import type { DemoFault } from './domain/caller.ts';
import type { KeyDirectory } from './keys/authenticate.ts';
import { createKeyLoader } from './keys/loader.ts';
import type {
  CatalogueSource,
  Clock,
  HistorySource,
  KeySource,
  Log,
  Meter,
  QuotaStore,
  SourceName,
} from './ports.ts';
import type { Config } from './runtime/config.ts';
import { createFollower, type Follower, type FollowerOptions } from './runtime/follower.ts';
import { timeHistories, timeQuotas } from './runtime/store-calls.ts';
import type { UsageMeter } from './usage/counter.ts';

/** The settings that a gateway keeps to, durations in milliseconds. */
type GatewaySettings = Pick<
  Config,
  | 'catalogueRefreshMs'
  | 'keysRefreshMs'
  | 'maxStalenessMs'
  | 'keysMaxStalenessMs'
  | 'spikes'
  | 'storeTimeoutMs'
  | 'bodyCacheBytes'
  | 'publicUrl'
  | 'unknownKeyForm'
>;

/** The parts that a gateway is assembled from. */
interface GatewayParts {
  readonly catalogue: CatalogueSource;
  readonly histories: HistorySource;
  /** By default they are computed from the recent points of the artists. */
  readonly spikes?: SpikeFinder | undefined;
  /** Milliseconds after which a load of the catalogue is given up. */
  readonly maxLoadMs?: number | undefined;
  readonly keys: KeySource;
  /** Demo keys with a fault, by id; `undefined` outside the embedded sandbox. */
  readonly demoFaults?: ReadonlyMap<string, DemoFault> | undefined;
  readonly quotas: QuotaStore;
  /** Counts usage; `undefined` without a store for it. */
  readonly usage?: UsageMeter | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: Meter | undefined;
  readonly settings: GatewaySettings;
  /**
   * Version of the software: a new one may render the same data differently, so it is part of every
   * `ETag`.
   */
  readonly version: string;
}

/**
 * What answers requests: the followed keys and catalogue, and the parts that are used as they are.
 */
export interface Gateway
  extends Omit<GatewayParts, 'catalogue' | 'histories' | 'spikes' | 'maxLoadMs' | 'keys'> {
  readonly keys: Follower<KeyDirectory>;
  readonly catalogue: Follower<Catalogue>;
}

/**
 * Assembles a gateway; every program and test that needs one does it here. Nothing is loaded yet:
 * call `refresh()` or `start()` of `keys` and `catalogue`. With a meter, every load and every call
 * of a store is timed.
 */
export const assembleGateway = (parts: GatewayParts): Gateway => {
  const { clock, log, meter, usage, settings, version } = parts;
  const follow = <Value>(
    name: SourceName,
    loader: Pick<FollowerOptions<Value>, 'load' | 'recall' | 'maxLoadMs'>,
    intervalMs: number,
    maxStalenessMs: number,
  ): Follower<Value> =>
    createFollower({
      ...loader,
      name,
      intervalMs,
      maxStalenessMs,
      clock,
      log,
      observe: (ms, answered) => meter?.refresh(name, ms, answered),
    });
  const catalogueLoader = createCatalogueLoader(
    parts.catalogue,
    {
      histories:
        meter === undefined ? parts.histories : timeHistories(parts.histories, meter, clock),
      disclosure: createDisclosure(),
      spikes: parts.spikes ?? createSpikeFinder(settings.spikes),
    },
    log,
  );
  return {
    clock,
    log,
    meter,
    usage,
    keys: follow(
      'keys',
      createKeyLoader(parts.keys, log),
      settings.keysRefreshMs,
      settings.keysMaxStalenessMs,
    ),
    catalogue: follow(
      'catalogue',
      { ...catalogueLoader, maxLoadMs: parts.maxLoadMs },
      settings.catalogueRefreshMs,
      settings.maxStalenessMs,
    ),
    demoFaults: parts.demoFaults,
    quotas: meter === undefined ? parts.quotas : timeQuotas(parts.quotas, meter, clock),
    settings,
    version,
  };
};
