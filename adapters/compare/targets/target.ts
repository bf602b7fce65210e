import type { ComparisonTarget } from '../run.ts';

/** Something to compare, and how to leave it. */
export interface OpenTarget {
  readonly subject: ComparisonTarget;
  /** In words. */
  readonly name: string;
  /** The instant that answers are told from. */
  readonly now: string;
  /** What a reader of the report has to know. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
