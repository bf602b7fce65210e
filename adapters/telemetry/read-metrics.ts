import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceName } from '../../src/ports.ts';

/** A refreshed source. Ages in milliseconds, `undefined` before the first load. */
interface ObservedSource {
  age(): number | undefined;
  size(): number;
  faults(): number;
  /** The copy on the disk; `undefined` without `STATE_DIR`. */
  readonly copy?: { age(): number | undefined; failures(): number } | undefined;
}

/** The state of the usage recorder. */
interface ObservedUsage {
  /** Totals that have grown since their last write. */
  pending(): number;
  /** Milliseconds since all totals were written. */
  age(): number;
  /** Failed writes since the start. */
  failures(): number;
  /** Requests not counted because the counter was full. */
  uncounted(): number;
}

/** Values that are read at every scrape. */
export interface Observed {
  readonly sources: Readonly<Record<SourceName, ObservedSource>>;
  /** Valid keys that expire within 30 days. */
  readonly expiringKeys: () => number;
  /** Valid keys with requests in the last 7 days, within 30 days of their sunset or after it. */
  readonly keysNearSunset: () => number;
  /** Milliseconds by which each store's clock is ahead of the machine's; `undefined` if unknown. */
  readonly clocksAheadMs: () => Readonly<Record<string, number | undefined>>;
  /** The parts of `/ready`, by name. */
  readonly readyParts: () => Readonly<Record<string, { readonly ready: boolean }>>;
  readonly droppedLogLines: () => number;
  /** `undefined` without a usage store. */
  readonly usage?: ObservedUsage | undefined;
}

/** Values with their labels; `undefined` values are left out. */
type Samples = readonly (readonly [
  labels: { source?: string; part?: string; store?: string },
  value: number | undefined,
])[];

type MetricRow = readonly [
  typeof Gauge | typeof Counter,
  name: string,
  help: string,
  read: () => Samples,
];

const seconds = (ms: number | undefined): number | undefined => ms && ms / 1000;

const rowsOf = ({
  sources,
  expiringKeys,
  keysNearSunset,
  clocksAheadMs,
  readyParts,
  droppedLogLines,
  usage,
}: Observed): readonly MetricRow[] => {
  const each = (read: (source: ObservedSource) => number | undefined) => () =>
    Object.entries(sources).map(([source, observed]) => [{ source }, read(observed)] as const);
  const one = (read: () => number | undefined) => () => [[{}, read()]] as const;
  const ready = () =>
    Object.entries(readyParts()).map(([part, state]) => [{ part }, Number(state.ready)] as const);
  return [
    [
      Gauge,
      'gateway_source_age_seconds',
      'Seconds since the source was last reloaded.',
      each((source) => seconds(source.age())),
    ],
    [
      Gauge,
      'gateway_source_items',
      'Artists in the catalogue, keys in the directory.',
      each((source) => source.size()),
    ],
    [
      Gauge,
      'gateway_source_faults',
      'Faults of stored documents that are still reported, and artists with an incomplete history.',
      each((source) => source.faults()),
    ],
    [
      Gauge,
      'gateway_keys_expiring',
      'Valid keys without a successor that expire within 30 days.',
      one(expiringKeys),
    ],
    [
      Gauge,
      'gateway_keys_near_sunset',
      'Valid keys that called within 7 days, and whose sunset is within 30 days or behind them.',
      one(keysNearSunset),
    ],
    [
      Gauge,
      'gateway_copy_age_seconds',
      'Seconds since the copy in STATE_DIR was loaded from MongoDB.',
      each(({ copy }) => seconds(copy?.age())),
    ],
    [
      Counter,
      'gateway_copy_write_errors_total',
      'Failed writes of the copy in STATE_DIR.',
      each(({ copy }) => copy?.failures()),
    ],
    [
      Gauge,
      'gateway_clock_ahead_seconds',
      "Seconds by which the clock of a store is ahead of the machine's.",
      () => Object.entries(clocksAheadMs()).map(([store, ms]) => [{ store }, seconds(ms)] as const),
    ],
    [Gauge, 'gateway_ready', '1 if the part of /ready is ready, otherwise 0.', ready],
    [
      Counter,
      'gateway_log_lines_dropped_total',
      'Log lines dropped: the buffer was full or writing failed.',
      one(droppedLogLines),
    ],
    [
      Gauge,
      'gateway_usage_pending_entries',
      'Usage totals not yet written to the store.',
      one(() => usage?.pending()),
    ],
    [
      Gauge,
      'gateway_usage_write_age_seconds',
      'Seconds since all usage totals were last written.',
      one(() => seconds(usage?.age())),
    ],
    [
      Counter,
      'gateway_usage_write_errors_total',
      'Failed writes of usage totals.',
      one(() => usage?.failures()),
    ],
    [
      Counter,
      'gateway_usage_uncounted_total',
      'Requests not counted: the usage counter was full.',
      one(() => usage?.uncounted()),
    ],
  ];
};

/** Adds the metrics that are read at every scrape to a registry. */
export const addReadMetrics = (registry: Registry, observed: Observed): void => {
  for (const [Metric, name, help, read] of rowsOf(observed)) {
    new Metric({
      name,
      help,
      labelNames: ['source', 'part', 'store'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) if (value !== undefined) this.inc(labels, value);
      },
    });
  }
};
