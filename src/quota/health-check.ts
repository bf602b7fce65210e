import type { Allowance } from '../domain/caller.ts';
import type { Clock, QuotaStore } from '../ports.ts';
import type { HealthCheck } from '../runtime/health-checks.ts';

/**
 * A subject of its own, with a limit that is never reached: every check writes. Its count expires
 * with the minute.
 */
const probe: Allowance = { subject: 'probe:readiness', window: 'minute', limit: 1_000_000_000 };

/**
 * A check that the quota store counts: it consumes a unit and refunds it, because a store that is
 * full, or that refuses to write for another reason, still answers reads. Each of the two may take
 * `timeoutMs` milliseconds.
 */
export const quotaCheck = (store: QuotaStore, clock: Clock, timeoutMs: number): HealthCheck => ({
  name: 'quotas',
  async check() {
    try {
      const [status] = await store.consume([probe], clock.elapsed() + timeoutMs);
      if (status === undefined) return 'no count was returned';
      await store.refund(probe, status, clock.elapsed() + timeoutMs);
      return undefined;
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause);
    }
  },
});
