import { Counter, Gauge, type Registry } from 'prom-client';

/** How what partners use is kept, as it is read at the moment somebody asks. */
export interface UsageGauges {
  /** Totals that have grown since they were written. */
  pending(): number;
  /** Milliseconds since everything was written. */
  age(): number;
  /** Times that writing failed. */
  failures(): number;
  /** Requests that were not counted for want of room. */
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

/** Adds to a registry how usage is kept. */
export const addUsage = (registry: Registry, { pending, age, failures, uncounted }: UsageGauges): void => {
  addGauge(registry, 'gateway_usage_pending_entries', 'Totals of usage that are not written yet.', pending);
  const sinceWritten = 'Since everything that had been counted of usage was written.';
  addGauge(registry, 'gateway_usage_write_age_seconds', sinceWritten, () => age() / 1000);
  addCounter(registry, 'gateway_usage_write_errors_total', 'Times that usage could not be written.', failures);
  addCounter(registry, 'gateway_usage_uncounted_total', 'Requests not counted for want of room.', uncounted);
};
