import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FormName, QuotaWindow } from '../../src/domain/caller.ts';
import type { Meter, SourceName, StoreName } from '../../src/ports.ts';
import { addReadMetrics, type Observed } from './read-metrics.ts';

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const refreshSeconds = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Factories of metrics in one registry. Label values come from the code, never from a client. */
const metricFactories = (registry: Registry) => {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    histogram: <Label extends string>(
      buckets: number[],
      name: string,
      help: string,
      ...labelNames: Label[]
    ) => new Histogram({ name, help, labelNames, buckets, registers }),
  };
};

/** The possible label values of a form's responses. */
interface KnownForm {
  readonly name: FormName;
  readonly routes: readonly string[];
  readonly statuses: readonly number[];
}

const windows = ['minute', 'hour', 'day'] as const satisfies readonly QuotaWindow[];
const sources = ['catalogue', 'keys'] as const satisfies readonly SourceName[];
const storeNames = ['quotas', 'history'] as const satisfies readonly StoreName[];

/**
 * Counters used in rates of alerts and panels start at 0. Otherwise the rate misses the first
 * burst.
 */
const createMeter = (registry: Registry, known: readonly KnownForm[]): Meter => {
  const { counter, histogram } = metricFactories(registry);
  const requests = counter(
    'gateway_requests_total',
    'Requests with a response.',
    'form',
    'route',
    'status',
  );
  const seconds = histogram(
    requestSeconds,
    'gateway_request_duration_seconds',
    'Seconds from the request to the last byte that the client received.',
    'form',
    'route',
  );
  const spent = counter(
    'gateway_quota_refusals_total',
    'Requests refused with 429: this window was spent.',
    'window',
  );
  const shed = counter(
    'gateway_requests_shed_total',
    'Requests refused because 256 were in flight.',
  );
  const adjusted = counter(
    'gateway_adjusted_parameters_total',
    'Query parameters repaired.',
    'form',
    'parameter',
  );
  const dropped = counter(
    'gateway_connections_dropped_total',
    'Connections closed at once because 2,000 were open.',
  );
  const cutShort = counter(
    'gateway_responses_cut_short_total',
    'Responses not taken whole.',
    'form',
  );
  const refreshes = histogram(
    refreshSeconds,
    'gateway_refresh_duration_seconds',
    'Seconds to reload a source.',
    'source',
  );
  const refreshErrors = counter(
    'gateway_refresh_errors_total',
    'Failed reloads of a source.',
    'source',
  );
  const stores = histogram(
    requestSeconds,
    'gateway_store_duration_seconds',
    'Seconds to call a store.',
    'store',
  );
  const storeErrors = counter(
    'gateway_store_errors_total',
    'Failed or timed-out calls to a store.',
    'store',
  );
  for (const { name: form, routes, statuses } of known) {
    cutShort.inc({ form }, 0);
    for (const route of [...routes, 'none'])
      for (const status of statuses) requests.inc({ form, route, status }, 0);
  }
  for (const window of windows) spent.inc({ window }, 0);
  for (const source of sources) refreshErrors.inc({ source }, 0);
  for (const store of storeNames) storeErrors.inc({ store }, 0);
  return {
    connectionDropped: () => dropped.inc(),
    request(outcome) {
      const { form, route = 'none', status, ms } = outcome;
      requests.inc({ form, route, status });
      seconds.observe({ form, route }, ms / 1000);
      if (outcome.refusedBy !== undefined) spent.inc({ window: outcome.refusedBy });
      if (outcome.shed) shed.inc();
      if (outcome.cutShort) cutShort.inc({ form });
      for (const { parameter } of outcome.adjusted) adjusted.inc({ form, parameter });
    },
    refresh(source, ms, succeeded) {
      refreshes.observe({ source }, ms / 1000);
      if (!succeeded) refreshErrors.inc({ source });
    },
    store(store, ms, succeeded) {
      stores.observe({ store }, ms / 1000);
      if (!succeeded) storeErrors.inc({ store });
    },
  };
};

/**
 * Creates metrics with their own registry, so that several gateways in one process do not share
 * counters.
 */
export const createMetrics = (
  version: string,
  build = '',
  known: readonly KnownForm[] = [],
  settings = '',
) => {
  const registry = new Registry();
  new Gauge({
    name: 'gateway_info',
    help: 'The version of the gateway, and digests of its build and of the settings that change responses.',
    labelNames: ['version', 'build', 'settings'],
    registers: [registry],
  }).set({ version, build, settings }, 1);
  return {
    meter: createMeter(registry, known),
    contentType: registry.contentType,
    /** All metrics in the Prometheus text format. */
    read: () => registry.metrics(),
    /** Adds the metrics of sources, readiness, the log and the usage recorder. */
    watch: (observed: Observed): void => addReadMetrics(registry, observed),
    /** Adds the metrics of the process: memory, CPU time, file descriptors, event-loop delay. */
    watchProcess(): void {
      collectDefaultMetrics({ register: registry });
      // Gauges with the suffix of counters: promtool rejects them, and each has an equivalent by
      // type without the suffix.
      for (const kind of ['handles', 'requests', 'resources'])
        registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
