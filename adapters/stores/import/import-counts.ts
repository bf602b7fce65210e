/** How many documents of a collection an import found so, or made so. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** The same as before, but for the instant of change: a series of it changed. */
  readonly touched: number;
  readonly unchanged: number;
  readonly removed: number;
}

export const noCounts: ImportCounts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };

export const sumCounts = (left: ImportCounts, right: ImportCounts): ImportCounts => ({
  created: left.created + right.created,
  changed: left.changed + right.changed,
  touched: left.touched + right.touched,
  unchanged: left.unchanged + right.unchanged,
  removed: left.removed + right.removed,
});
