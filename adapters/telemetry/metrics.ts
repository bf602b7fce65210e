import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Meter, SourceName } from '../../src/ports.ts';
import { addUsage, type UsageGauges } from './usage-metrics.ts';

/** What is read at the moment somebody asks. */
export interface Gauges {
  readonly sources: Readonly<Record<SourceName, { age(): number | undefined; size(): number }>>;
  /** The parts of readiness and whether each is ready. */
  readonly readyParts: () => Readonly<Record<string, { readonly ready: boolean }>>;
  readonly droppedLogLines: () => number;
}

/** The measurements of one gateway, in the text format of Prometheus. */
export interface Metrics {
  readonly meter: Meter;
  readonly contentType: string;
  read(): Promise<string>;
  /** Adds what is read when asked. */
  watch(gauges: Gauges): void;
  /** Adds how what partners use is kept. */
  watchUsage(usage: UsageGauges): void;
  /** Adds the process: its memory, processor time, descriptors, and how long the event loop kept others waiting. */
  watchProcess(): void;
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const refreshSeconds = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Makes measurements of one registry; a label's values are forms' own words, templates and names in this code. */
const createMakers = (registry: Registry) => {
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

/** The part of a meter that is told of requests. */
const createRequestMeter = (registry: Registry): Pick<Meter, 'request'> => {
  const { counter, histogram } = createMakers(registry);
  const requests = counter('gateway_requests_total', 'Requests answered.', 'form', 'route', 'status');
  const seconds = histogram(
    'gateway_request_duration_seconds',
    'From the request to the last byte that the client took.',
    requestSeconds,
    'form',
    'route',
  );
  const spent = counter('gateway_quota_refusals_total', 'Requests refused because a window was spent.', 'window');
  const shed = counter('gateway_requests_shed_total', 'Requests turned away because too many were in work.');
  const repaired = counter('gateway_adjusted_parameters_total', 'Parameters repaired.', 'form', 'parameter');
  const cutShort = counter('gateway_responses_cut_short_total', 'Responses that ended before their time.', 'form');
  return {
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

/** The part that is told of sources and stores. */
const createStoreMeter = (registry: Registry): Pick<Meter, 'refresh' | 'store'> => {
  const { counter, histogram } = createMakers(registry);
  const refreshes = histogram('gateway_refresh_duration_seconds', 'Asking a source.', refreshSeconds, 'source');
  const refreshErrors = counter('gateway_refresh_errors_total', 'Sources that did not answer.', 'source');
  const stores = histogram('gateway_store_duration_seconds', 'Asking a store.', requestSeconds, 'store');
  const storeErrors = counter('gateway_store_errors_total', 'Stores that did not answer in time.', 'store');
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

/** A gauge with one label, whose values are read when somebody asks; one that is not known is left out. */
const addGauge = <Thing>(
  registry: Registry,
  [name, help, label]: readonly [name: string, help: string, label: string],
  things: () => Readonly<Record<string, Thing>>,
  read: (thing: Thing) => number | undefined,
): void => {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [value, thing] of Object.entries(things())) {
        const number = read(thing);
        if (number !== undefined) this.set({ [label]: value }, number);
      }
    },
  });
};

const inSeconds = (ms: number | undefined): number | undefined => ms && ms / 1000;

const addGauges = (registry: Registry, { sources, readyParts, droppedLogLines }: Gauges): void => {
  const age = ['gateway_source_age_seconds', 'Since the source last answered.', 'source'] as const;
  addGauge(
    registry,
    age,
    () => sources,
    (source) => inSeconds(source.age()),
  );
  const items = ['gateway_source_items', 'Artists in the catalogue, keys in the directory.', 'source'] as const;
  addGauge(
    registry,
    items,
    () => sources,
    (source) => source.size(),
  );
  const ready = ['gateway_ready', 'Whether a part is ready (1) or not (0).', 'part'] as const;
  addGauge(registry, ready, readyParts, (part) => (part.ready ? 1 : 0));
  new Counter({
    name: 'gateway_log_lines_dropped_total',
    help: 'Log lines lost because nobody took them.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
};

/** Measurements in a registry of their own, so that several gateways in one process do not add up. */
export const createMetrics = (version: string): Metrics => {
  const registry = new Registry();
  const info = { name: 'gateway_info', help: 'The version that runs.', labelNames: ['version'], registers: [registry] };
  new Gauge(info).set({ version }, 1);
  return {
    meter: { ...createRequestMeter(registry), ...createStoreMeter(registry) },
    contentType: registry.contentType,
    read: () => registry.metrics(),
    watch: (gauges) => addGauges(registry, gauges),
    watchUsage: (usage) => addUsage(registry, usage),
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  };
};
