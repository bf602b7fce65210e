import { setTimeout as wait } from 'node:timers/promises';
import { assembleGateway } from '../../src/gateway.ts';
import type { Log, Meter } from '../../src/ports.ts';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import { type Config, version } from '../../src/runtime/config.ts';
import { createUsageRecorder } from '../../src/usage/flusher.ts';
import { lockFolder } from '../files/folder-lock.ts';
import { PathError } from '../files/own-file.ts';
import { formNames } from '../forms/forms.ts';
import { openQuotas, openSources } from '../stores/open-stores.ts';

/**
 * Timeout for locking `STATE_DIR`, in milliseconds. A stuck disk is logged when its copies are
 * read.
 */
const maxLookMs = 5_000;

/**
 * Locks `STATE_DIR`, and resolves to the function that releases it. Rejects with one line if
 * another gateway uses it, or if other users may write to it: they could add keys.
 */
const lockState = async ({ mongodbUrl, stateFolder }: Config): Promise<() => void> => {
  const unlocked = () => {};
  if (mongodbUrl === undefined || stateFolder === undefined) return unlocked;
  const locked = lockFolder(stateFolder).catch((failure: unknown) => {
    if (failure instanceof PathError)
      throw new Error(`STATE_DIR is ${failure.message}`, { cause: failure });
    return unlocked; // other failures are logged when a copy is written
  });
  return await Promise.race([locked, wait(maxLookMs, unlocked, { ref: false })]);
};

/** The composition root: opens the configured stores, even if they are unreachable. */
export const composeGateway = async (config: Config, log: Log, meter: Meter) => {
  const clock = config.fixedNow === undefined ? systemClock() : fixedClock(config.fixedNow);
  const sources = await openSources(config, { clock, log, formNames });
  const quotas = await openQuotas(config, clock, log);
  const usage = sources.usage && createUsageRecorder(sources.usage, config.usageFlushMs, log);
  const gateway = assembleGateway({
    ...sources,
    quotas,
    usage,
    clock,
    log,
    meter,
    settings: config,
    version,
  });
  const { keys, catalogue } = gateway;
  if (sources.requiredAtStart) {
    await keys.refresh();
    await catalogue.refresh();
  }
  const unlockState = await lockState(config);
  if (!(await keys.recall())) await sources.open(); // without copied keys every request waits
  return {
    gateway,
    sources,
    usage,
    /** Milliseconds by which the clock of each store is ahead of the machine's. */
    clocksAheadMs: () => ({ mongodb: sources.clockAheadMs(), redis: quotas.clockAheadMs() }),
    async close(): Promise<void> {
      keys.stop();
      catalogue.stop();
      await sources.closeCopies();
      await Promise.all([sources.close(), quotas.close()]);
      unlockState();
    },
  };
};

export type OpenGateway = Awaited<ReturnType<typeof composeGateway>>;

/**
 * How long requests are served from the copies before the database driver is loaded, in
 * milliseconds. Loading blocks for 100 ms.
 */
const copiesFirstMs = 100;

/**
 * Loads keys and catalogue, first from the copies, then from the stores, and refreshes them.
 * Resolves after the first load of the catalogue, even if it failed. Rejects with one line if the
 * database URL is not usable.
 */
export const startRefreshing = async ({
  gateway: { keys, catalogue },
  sources,
}: OpenGateway): Promise<void> => {
  if (await catalogue.recall()) await wait(copiesFirstMs);
  await sources.open();
  void keys.start();
  await catalogue.start();
};
