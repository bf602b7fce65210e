import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceName } from '../../src/ports.ts';

/** A followed source. Ages in milliseconds, `undefined` before the first load. */
export interface SourceGauges {
  age(): number | undefined;
  size(): number;
  faults(): number;
  /** The copy on the disk; `undefined` without `STATE_DIR`. */
  readonly copy?: { age(): number | undefined; failures(): number } | undefined;
}

/** Values that are read on every scrape. */
export interface Gauges {
  readonly sources: Readonly<Record<SourceName, SourceGauges>>;
  /** The parts of `/ready`, by name. */
  readonly readyParts: () => Readonly<Record<string, { readonly ready: boolean }>>;
  readonly droppedLogLines: () => number;
}

/** Adds a gauge with one label that is read on every scrape; `undefined` values are left out. */
const addGauge = <Item>(
  registry: Registry,
  [name, help, label]: readonly [name: string, help: string, label: string],
  items: () => Readonly<Record<string, Item>>,
  read: (item: Item) => number | undefined,
): void => {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [labelValue, item] of Object.entries(items())) {
        const value = read(item);
        if (value !== undefined) this.set({ [label]: labelValue }, value);
      }
    },
  });
};

const inSeconds = (ms: number | undefined): number | undefined => ms && ms / 1000;

const addCopies = (registry: Registry, sources: Gauges['sources']): void => {
  const copyAge = ['gateway_copy_age_seconds', 'Seconds since the answer that is on the disk.', 'source'] as const;
  addGauge(
    registry,
    copyAge,
    () => sources,
    (source) => inSeconds(source.copy?.age()),
  );
  new Counter({
    name: 'gateway_copy_write_errors_total',
    help: 'Failed writes of the copy on the disk.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [source, { copy }] of Object.entries(sources))
        if (copy !== undefined) this.inc({ source }, copy.failures());
    },
  });
};

/** Adds the gauges of sources, readiness and the log to a registry. */
export const addGauges = (registry: Registry, { sources, readyParts, droppedLogLines }: Gauges): void => {
  const age = ['gateway_source_age_seconds', 'Seconds since the source was last reloaded.', 'source'] as const;
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
  const faults = ['gateway_source_faults', 'Faults of stored documents that are still reported.', 'source'] as const;
  addGauge(
    registry,
    faults,
    () => sources,
    (source) => source.faults(),
  );
  addCopies(registry, sources);
  const ready = ['gateway_ready', 'Whether a part is ready (1) or not (0).', 'part'] as const;
  addGauge(registry, ready, readyParts, (part) => (part.ready ? 1 : 0));
  new Counter({
    name: 'gateway_log_lines_dropped_total',
    help: 'Log lines dropped: the buffer was full or writing failed.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
};
