import { setTimeout as wait } from 'node:timers/promises';
import { assembleGateway } from '../../src/gateway.ts';
import type { Log, Meter } from '../../src/ports.ts';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import { type Config, version } from '../../src/runtime/config.ts';
import { createUsageRecorder } from '../../src/usage/flusher.ts';
import { PathError, requireOwnFolder } from '../files/own-file.ts';
import { formNames } from '../forms/forms.ts';
import { openQuotas, openSources } from '../stores/open-stores.ts';

/**
 * Milliseconds in which the rights of `STATE_DIR` are looked at. A disk that does not answer is
 * logged when its copies are read.
 */
const maxLookMs = 5_000;

/** Rejects with one line for a `STATE_DIR` that other users may write to: they could add keys. */
const requireOwnState = async ({ mongodbUrl, stateFolder }: Config): Promise<void> => {
  if (mongodbUrl === undefined || stateFolder === undefined) return;
  const looked = requireOwnFolder(stateFolder).catch((failure: unknown) => {
    if (failure instanceof PathError)
      throw new Error(`STATE_DIR is ${failure.message}`, { cause: failure });
  }); // what else fails is logged when a copy is written
  await Promise.race([looked, wait(maxLookMs, undefined, { ref: false })]);
};

/**
 * The composition root: opens the stores that the configuration names, whether or not they are
 * reachable.
 */
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
  const [hasKeys] = await Promise.all([keys.recall(), requireOwnState(config)]);
  if (!hasKeys) await sources.open(); // without a copy of the keys every request waits for them
  return {
    gateway,
    sources,
    usage,
    async close(): Promise<void> {
      keys.stop();
      catalogue.stop();
      await sources.closeCopies();
      await Promise.all([sources.close(), quotas.close()]);
    },
  };
};

export type OpenGateway = Awaited<ReturnType<typeof composeGateway>>;

/**
 * Milliseconds in which requests are answered from the copies before the driver of the database is
 * loaded, in one step of 100 ms.
 */
const copiesFirstMs = 100;

/**
 * Follows keys and catalogue: first from the copies, then from the stores. Resolves when the first
 * load of the catalogue has ended, whether or not it succeeded. Rejects with one line when the URL
 * of the database is not usable.
 */
export const follow = async ({
  gateway: { keys, catalogue },
  sources,
}: OpenGateway): Promise<void> => {
  if (await catalogue.recall()) await wait(copiesFirstMs);
  await sources.open();
  void keys.start();
  await catalogue.start();
};
