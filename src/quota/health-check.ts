import type { Allowance } from '../domain/caller.ts';
import type { Clock, QuotaStore } from '../ports.ts';
import type { HealthCheck } from '../runtime/health-checks.ts';
import { describeFailure } from '../runtime/store-error.ts';

/**
 * Consumes a unit on every server of the store and refunds it: a store that is full, or that refuses
 * to write for another reason, still answers reads. The subjects and their limit are never reached,
 * and their counts expire with the minute. Each of the two may take `timeoutMs` milliseconds.
 * Rejects as the store does.
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

/** A check that the quota store counts. */
export const quotaCheck = (store: QuotaStore, clock: Clock, timeoutMs: number): HealthCheck => ({
  name: 'quotas',
  check: () => countOnce(store, clock, timeoutMs).then(() => undefined, describeFailure),
});
