import type { Allowance } from '../domain/caller.ts';
import type { Clock, QuotaStore } from '../ports.ts';
import type { HealthCheck } from '../runtime/health-checks.ts';
import { describeFailure } from '../runtime/store-error.ts';

/**
 * Consumes and refunds a unit on every server of the store. Reads alone would not detect a full or
 * read-only store. The test subjects never reach their limit, and their counts expire within the
 * minute. Each call can take `timeoutMs`. Rejects if the store does.
 */
export const countOnce = async (
  store: QuotaStore,
  clock: Clock,
  timeoutMs: number,
): Promise<void> => {
  const countOn = async (subject: string): Promise<void> => {
    const probe: Allowance = { subject, window: 'minute', limit: 1_000_000_000 };
    const [status] = await store.consume([probe], clock.elapsed() + timeoutMs);
    if (status === undefined) throw new Error('no count was returned');
    await store.refund(probe, status, clock.elapsed() + timeoutMs);
  };
  await Promise.all((store.probeSubjects?.() ?? ['probe:readiness']).map(countOn));
};

/** Checks that the quota store can count. */
export const quotaCheck = (store: QuotaStore, clock: Clock, timeoutMs: number): HealthCheck => ({
  name: 'quotas',
  check: () => countOnce(store, clock, timeoutMs).then(() => undefined, describeFailure),
});
