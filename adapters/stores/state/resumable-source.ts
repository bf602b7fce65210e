/** A source that can go on from what it knew in an earlier process. */
export interface ResumableSource<Contents, State> {
  /** Loads the contents; returns the same object when nothing changed. Rejects when they cannot be read. */
  load(): Promise<Contents>;
  /** What the source knows after the last load that succeeded. Later loads do not change the returned object. */
  state(): State;
  /** Goes on from a state and its contents, as if this source had loaded them. */
  resume(state: State, contents: Contents): void;
}
