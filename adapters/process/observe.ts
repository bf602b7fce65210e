import type { KeyRecord } from '../../src/domain/caller.ts';
import { expiresSoon } from '../../src/keys/key-policy.ts';
import { isNearSunset, type LastCalls } from '../../src/keys/near-sunset.ts';
import { quotaCheck } from '../../src/quota/health-check.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import {
  createHealthChecks,
  type HealthChecks,
  refresherCheck,
} from '../../src/runtime/health-checks.ts';
import { forms } from '../forms/forms.ts';
import type { GatewayLog } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OpenGateway } from './compose.ts';

/**
 * Starts the checks for `/ready`, which load balancers poll, and registers the values that metrics
 * read at every scrape.
 */
export const observe = (
  { gateway, usage, clocksAheadMs, sources: { copies } }: OpenGateway,
  metrics: Metrics,
  log: GatewayLog,
  lastCalls: LastCalls,
  isStopping: () => boolean,
): HealthChecks => {
  const { keys, catalogue, quotas, clock, settings } = gateway;
  const snapshot = () => catalogue.value()?.snapshot;
  const countKeys = (isCounted: (key: KeyRecord, now: number) => boolean) => (): number => {
    const now = clock.now();
    return [...(keys.value()?.issued.values() ?? [])].filter(
      ({ caller }) => typeof caller !== 'string' && isCounted(caller.key, now),
    ).length;
  };
  const parts = [
    refresherCheck('keys', keys, ({ missing }) => missing),
    refresherCheck('catalogue', catalogue, ({ snapshot: { listed } }) =>
      listed.length === 0 ? 'there is no artist' : undefined,
    ),
    quotaCheck(quotas, clock, settings.storeTimeoutMs),
    { name: 'process', isPlanned: true, check: () => (isStopping() ? 'stopping' : undefined) },
  ];
  const readiness = createHealthChecks(parts, systemClock(), log);
  metrics.watchProcess();
  metrics.watch({
    sources: {
      keys: {
        age: keys.age,
        size: () => keys.value()?.issued.size ?? 0,
        faults: () => keys.value()?.faults.length ?? 0,
        copy: copies?.keys,
      },
      catalogue: {
        age: catalogue.age,
        size: () => snapshot()?.listed.length ?? 0,
        faults: () =>
          (snapshot()?.faults.length ?? 0) + (catalogue.value()?.incompleteHistories() ?? 0),
        copy: copies?.catalogue,
      },
    },
    expiringKeys: countKeys(expiresSoon),
    keysNearSunset: countKeys((key, now) => isNearSunset(key, lastCalls.of(key), forms, now)),
    clocksAheadMs,
    readyParts: () => readiness.last().parts,
    droppedLogLines: log.droppedLines,
    usage,
  });
  readiness.start();
  return readiness;
};
