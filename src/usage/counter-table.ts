/** What is counted up in memory until its time is over, and written as a total. */
export interface Entry {
  readonly id: string;
  requests: number;
  /** How many of them the total had that was last written. */
  written: number;
}

/** Entries by the time they belong to and what they are about, no more than so many. */
export interface Table<Kept extends Entry> {
  /**
   * The entry of a time, told by its end (epoch milliseconds), under a path of the same length each time; made when there is
   * none yet, `undefined` when there is no room for it. Takes a look-up for each part, and puts no text together.
   */
  at(endsAt: number, path: readonly Part[], make: () => Kept): Kept | undefined;
  /** Those that have grown since they were written. */
  changed(): Kept[];
  /** Lets go of a time that is over, once all of it is written. */
  forget(now: number): void;
}

export type Part = string | number | undefined;

interface Branch<Kept> {
  readonly branches: Map<Part, Branch<Kept>>;
  entry: Kept | undefined;
}

interface Period<Kept> extends Branch<Kept> {
  readonly entries: Kept[];
}

const newBranch = <Kept>(): Branch<Kept> => ({ branches: new Map(), entry: undefined });

const hasGrown = ({ requests, written }: Entry): boolean => requests !== written;

export const createTable = <Kept extends Entry>(limit: number): Table<Kept> => {
  const periods = new Map<number, Period<Kept>>();
  let size = 0;

  const periodAt = (endsAt: number): Period<Kept> => {
    const found = periods.get(endsAt);
    if (found !== undefined) return found;
    const made = { ...newBranch<Kept>(), entries: [] };
    periods.set(endsAt, made);
    return made;
  };

  const add = (period: Period<Kept>, path: readonly Part[], entry: Kept): Kept => {
    let branch: Branch<Kept> = period;
    for (const part of path) {
      const next = branch.branches.get(part) ?? newBranch();
      branch.branches.set(part, next);
      branch = next;
    }
    branch.entry = entry;
    period.entries.push(entry);
    size += 1;
    return entry;
  };

  return {
    at(endsAt, path, make) {
      const period = periodAt(endsAt);
      let branch: Branch<Kept> | undefined = period;
      for (const part of path) branch = branch?.branches.get(part);
      if (branch?.entry !== undefined) return branch.entry;
      return size < limit ? add(period, path, make()) : undefined;
    },
    changed: () => [...periods.values()].flatMap(({ entries }) => entries.filter(hasGrown)),
    forget(now) {
      for (const [endsAt, { entries }] of periods) {
        if (endsAt > now || entries.some(hasGrown)) continue;
        periods.delete(endsAt);
        size -= entries.length;
      }
    },
  };
};
