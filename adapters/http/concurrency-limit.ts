/** Places for requests that are in work at the same time. */
export interface ConcurrencyLimit {
  /** Takes a place; `false` when none is left. */
  acquire(): boolean;
  /** Frees a place that was taken. */
  release(): void;
}

/** So many requests of known callers may be in work; more would only wait for each other. */
export const maxInFlight = 256;

export const createConcurrencyLimit = (most = maxInFlight): ConcurrencyLimit => {
  let taken = 0;
  return {
    acquire() {
      if (taken >= most) return false;
      taken += 1;
      return true;
    },
    release() {
      taken -= 1;
    },
  };
};
