import { Counter, Gauge, type Registry } from 'prom-client';

/** The state of the usage recorder, read on every scrape. */
export interface UsageGauges {
  /** Totals that have grown since they were written. */
  pending(): number;
  /** Milliseconds since all totals were written. */
  age(): number;
  /** Failed writes since the start. */
  failures(): number;
  /** Requests not counted because the counter was full. */
  uncounted(): number;
}

const addGauge = (registry: Registry, name: string, help: string, read: () => number): void => {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
};

const addCounter = (registry: Registry, name: string, help: string, read: () => number): void => {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
};

/** Adds the usage recorder's metrics to a registry. */
export const addUsage = (registry: Registry, { pending, age, failures, uncounted }: UsageGauges): void => {
  addGauge(registry, 'gateway_usage_pending_entries', 'Usage totals not yet written to the store.', pending);
  const sinceWritten = 'Seconds since all usage totals were last written.';
  addGauge(registry, 'gateway_usage_write_age_seconds', sinceWritten, () => age() / 1000);
  addCounter(registry, 'gateway_usage_write_errors_total', 'Failed writes of usage totals.', failures);
  addCounter(registry, 'gateway_usage_uncounted_total', 'Requests not counted: the usage counter was full.', uncounted);
};
