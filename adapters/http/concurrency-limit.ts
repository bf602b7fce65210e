/** Limits the requests in flight. */
export interface ConcurrencyLimit {
  /** Takes a slot; `false` when all are taken. */
  acquire(): boolean;
  /** Frees a slot that was acquired. */
  release(): void;
}

/** Authenticated requests in flight per gateway; above that they would queue for the processor. */
export const maxInFlight = 256;

/** Creates a limit of `max` slots. */
export const createConcurrencyLimit = (max = maxInFlight): ConcurrencyLimit => {
  let inFlight = 0;
  return {
    acquire() {
      if (inFlight >= max) return false;
      inFlight += 1;
      return true;
    },
    release() {
      inFlight -= 1;
    },
  };
};
