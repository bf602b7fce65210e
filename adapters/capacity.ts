/** Places for requests that are in work at the same time. */
export interface Capacity {
  /** Takes a place; `false` when none is left. */
  take(): boolean;
  /** Frees a place that was taken. */
  release(): void;
}

/** So many requests of known callers may be in work; more would only wait for each other. */
export const mostInWork = 256;

export const createCapacity = (most = mostInWork): Capacity => {
  let taken = 0;
  return {
    take() {
      if (taken >= most) return false;
      taken += 1;
      return true;
    },
    release() {
      taken -= 1;
    },
  };
};
