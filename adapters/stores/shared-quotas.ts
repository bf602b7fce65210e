import type { Allowance } from '../../src/domain/caller.ts';
import type { Clock, Log, QuotaStore } from '../../src/ports.ts';
import type { StoreFailure } from '../../src/runtime/store-error.ts';

/** A quota store shared by all gateways. */
export interface SharedQuotaStore extends QuotaStore {
  /**
   * Deletes the count of the current window, for the operator. Rejects if the store does not reply
   * by the deadline.
   */
  reset(allowance: Allowance, deadline: number): Promise<void>;
  /** Milliseconds by which the store's clock is ahead of the machine's; `undefined` if unknown. */
  clockAheadMs(): number | undefined;
  /** Closes the connections after pending commands have settled. */
  close(): Promise<void>;
}

export interface SharedQuotasOptions {
  /** `REDIS_URL`. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum time that a request waits for the store, in milliseconds. */
  readonly timeoutMs: number;
}

/** Results of probing a quota store. With several nodes, the first deviation counts. */
export interface QuotaFindings {
  /** Why quotas cannot be counted; `undefined` if they can. */
  readonly uncountable: StoreFailure | undefined;
  /** The eviction policy; `undefined` if the user may not read it. */
  readonly policy: string | undefined;
  /** True if every count is written to disk; `undefined` if the user may not read it. */
  readonly persists: boolean | undefined;
  /** Milliseconds by which the store's clock is ahead, and the Cluster node with that clock. */
  readonly clock: { readonly aheadMs: number; readonly node: string | undefined };
}

/** A kind of store for quotas. */
export interface SharedQuotas {
  /**
   * Opens the store, which connects in the background. Every method rejects while it is
   * unreachable. Throws with one line that names `REDIS_URL` if the URL is not usable.
   */
  open(options: SharedQuotasOptions): SharedQuotaStore;
  /** Probes the store. Rejects if it is unreachable. */
  probe(url: string): Promise<QuotaFindings>;
}
