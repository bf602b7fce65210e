import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { shadowVerdicts } from '../../src/domain/shadow.ts';
import type { Meter, ShadowMeter } from '../../src/ports.ts';
import { addGauges, type Gauges } from './source-metrics.ts';
import { addUsage, type UsageGauges } from './usage-metrics.ts';

/** The metrics of one gateway. */
export interface Metrics {
  readonly meter: Meter;
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  read(): Promise<string>;
  /** Adds the gauges of sources, readiness and the log. */
  watch(gauges: Gauges): void;
  /** Adds the usage recorder's metrics. */
  watchUsage(usage: UsageGauges): void;
  /** Adds the metrics of comparisons with the other form, and returns what records them. */
  addShadow(): ShadowMeter;
  /** Adds the metrics of the process: memory, CPU time, file descriptors, event-loop delay. */
  watchProcess(): void;
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const refreshSeconds = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Factories of metrics in one registry. Label values come from the code, never from a client. */
const metricFactories = (registry: Registry) => {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
      new Counter({ name, help, labelNames, registers }),
    histogram: <Label extends string>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: Label[]
    ): Histogram<Label> => new Histogram({ name, help, labelNames, buckets, registers }),
  };
};

const createRequestMeter = (registry: Registry): Pick<Meter, 'request' | 'connectionDropped'> => {
  const { counter, histogram } = metricFactories(registry);
  const requests = counter('gateway_requests_total', 'Requests answered.', 'form', 'route', 'status');
  const seconds = histogram(
    'gateway_request_duration_seconds',
    'Seconds from the request to the last byte that the client received.',
    requestSeconds,
    'form',
    'route',
  );
  const spent = counter('gateway_quota_refusals_total', 'Requests refused because a quota window was spent.', 'window');
  const shed = counter('gateway_requests_shed_total', 'Requests refused because too many were in flight.');
  const repaired = counter('gateway_adjusted_parameters_total', 'Query parameters repaired.', 'form', 'parameter');
  const dropped = counter(
    'gateway_connections_dropped_total',
    'Connections closed at once because too many were open.',
  );
  const cutShort = counter('gateway_responses_cut_short_total', 'Responses not sent completely.', 'form');
  return {
    connectionDropped: () => dropped.inc(),
    request(outcome) {
      const { form, route = 'none', status, ms } = outcome;
      requests.inc({ form, route, status });
      seconds.observe({ form, route }, ms / 1000);
      if (outcome.refusedBy !== undefined) spent.inc({ window: outcome.refusedBy });
      if (outcome.shed) shed.inc();
      if (outcome.cutShort) cutShort.inc({ form });
      for (const { parameter } of outcome.adjusted) repaired.inc({ form, parameter });
    },
  };
};

const createStoreMeter = (registry: Registry): Pick<Meter, 'refresh' | 'store'> => {
  const { counter, histogram } = metricFactories(registry);
  const refreshes = histogram(
    'gateway_refresh_duration_seconds',
    'Seconds to reload a source.',
    refreshSeconds,
    'source',
  );
  const refreshErrors = counter('gateway_refresh_errors_total', 'Failed reloads of a source.', 'source');
  const stores = histogram('gateway_store_duration_seconds', 'Seconds to call a store.', requestSeconds, 'store');
  const storeErrors = counter('gateway_store_errors_total', 'Failed or timed-out calls to a store.', 'store');
  return {
    refresh(source, ms, answered) {
      refreshes.observe({ source }, ms / 1000);
      if (!answered) refreshErrors.inc({ source });
    },
    store(store, ms, answered) {
      stores.observe({ store }, ms / 1000);
      if (!answered) storeErrors.inc({ store });
    },
  };
};

const createShadowMeter = (registry: Registry): ShadowMeter => {
  const { counter } = metricFactories(registry);
  const verdicts = counter(
    'gateway_shadow_comparisons_total',
    'Answers chosen for a comparison with the other form.',
    'verdict',
  );
  const rows = counter('gateway_shadow_differences_total', 'Answers that violate a row of the crosswalk.', 'row');
  for (const verdict of shadowVerdicts) verdicts.inc({ verdict }, 0);
  return { judged: (verdict) => verdicts.inc({ verdict }), differed: (row) => rows.inc({ row }) };
};

/** Creates metrics with a registry of their own, so that several gateways in one process do not share counters. */
export const createMetrics = (version: string): Metrics => {
  const registry = new Registry();
  const info = {
    name: 'gateway_info',
    help: 'The version of the gateway.',
    labelNames: ['version'],
    registers: [registry],
  };
  new Gauge(info).set({ version }, 1);
  return {
    meter: { ...createRequestMeter(registry), ...createStoreMeter(registry) },
    contentType: registry.contentType,
    read: () => registry.metrics(),
    watch: (gauges) => addGauges(registry, gauges),
    watchUsage: (usage) => addUsage(registry, usage),
    addShadow: () => createShadowMeter(registry),
    watchProcess() {
      collectDefaultMetrics({ register: registry });
      // Gauges with the suffix of counters: promtool rejects them, and each has a twin by type without it.
      for (const kind of ['handles', 'requests', 'resources'])
        registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    },
  };
};
