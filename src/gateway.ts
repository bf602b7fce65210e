import type { Catalogue } from './catalogue/catalogue.ts';
import { createCatalogueLoader } from './catalogue/loader.ts';
import { createRedaction } from './catalogue/redaction.ts';
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
import { createRefresher, type Refresher, type RefresherOptions } from './runtime/refresher.ts';
import { timeHistories, timeQuotas } from './runtime/store-calls.ts';
import type { UsageMeter } from './usage/counter.ts';

/** Settings of a gateway, durations in milliseconds. */
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

interface GatewayParts {
  readonly catalogue: CatalogueSource;
  readonly histories: HistorySource;
  /** By default, spikes are computed from the recent points of the artists. */
  readonly spikes?: SpikeFinder | undefined;
  /** Timeout of a catalogue load, in milliseconds. */
  readonly maxLoadMs?: number | undefined;
  readonly keys: KeySource;
  /** Demo keys with a fault, by id; `undefined` outside the embedded sandbox. */
  readonly demoFaults?: ReadonlyMap<string, DemoFault> | undefined;
  readonly quotas: QuotaStore;
  /** Counts usage; `undefined` without a usage store. */
  readonly usage?: UsageMeter | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: Meter | undefined;
  readonly settings: GatewaySettings;
  /**
   * Version of the software. Part of every `ETag`, because another version may render the same data
   * differently.
   */
  readonly version: string;
}

/** Everything that serves requests: the refreshed keys and catalogue, and the parts passed in. */
export interface Gateway
  extends Omit<GatewayParts, 'catalogue' | 'histories' | 'spikes' | 'maxLoadMs' | 'keys'> {
  readonly keys: Refresher<KeyDirectory>;
  readonly catalogue: Refresher<Catalogue>;
}

/**
 * Assembles a gateway, for every program and test. Loads nothing: call `refresh()` or `start()` of
 * `keys` and `catalogue`. With a meter, measures every load and every store call.
 */
export const assembleGateway = (parts: GatewayParts): Gateway => {
  const { clock, log, meter, usage, settings, version } = parts;
  const createSourceRefresher = <Value>(
    name: SourceName,
    loader: Pick<RefresherOptions<Value>, 'load' | 'recall' | 'maxLoadMs'>,
    intervalMs: number,
    maxStalenessMs: number,
  ): Refresher<Value> =>
    createRefresher({
      ...loader,
      name,
      intervalMs,
      maxStalenessMs,
      clock,
      log,
      observe: (ms, succeeded) => meter?.refresh(name, ms, succeeded),
    });
  const catalogueLoader = createCatalogueLoader(
    parts.catalogue,
    {
      histories:
        meter === undefined ? parts.histories : timeHistories(parts.histories, meter, clock),
      redaction: createRedaction(),
      spikes: parts.spikes ?? createSpikeFinder(settings.spikes),
    },
    log,
  );
  return {
    clock,
    log,
    meter,
    usage,
    keys: createSourceRefresher(
      'keys',
      createKeyLoader(parts.keys, log),
      settings.keysRefreshMs,
      settings.keysMaxStalenessMs,
    ),
    catalogue: createSourceRefresher(
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
