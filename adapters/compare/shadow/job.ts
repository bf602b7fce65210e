import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import type { Scope } from '../../../src/domain/caller.ts';

/** One answer in both forms, as the worker thread gets it: bytes are transferred, the rest is copied. */
export interface ShadowJob {
  /** The form that the client was served. */
  readonly served: ComparedForm;
  /** A request of each form for the question, as far as its answer is judged by it. */
  readonly requests: Readonly<Record<ComparedForm, string>>;
  /** The bytes that were sent, and the text of the other form. */
  readonly texts: Readonly<Record<ComparedForm, Uint8Array<ArrayBuffer> | string>>;
  /** Whether the bytes that were sent are compressed with gzip. */
  readonly compressed: boolean;
  /** Maximum number of items; infinite when the question has no limit. */
  readonly limit: number;
  readonly history: boolean;
  readonly basic: boolean;
  /** The artists that were answered, `{artist, series?}` as JSON, to check the members that only one form shows. */
  readonly artists: readonly string[];
  readonly scopes: readonly Scope[];
  readonly partner: string;
  readonly requestId: string;
}

/** A cause of differences in one answer. It holds identifiers and member paths, no values. */
export interface JudgedCause {
  /** The id of the row of the crosswalk; `undefined` for a violation that no row is about. */
  readonly row: string | undefined;
  /** The violation, without values. */
  readonly violation: string;
  readonly items: number;
  /** Paths of the members in the first item that shows it. */
  readonly current: string | undefined;
  readonly variant: string | undefined;
  /** Stable identifiers of some of the artists that show it. */
  readonly artists: readonly string[];
}

export interface Judgement {
  readonly causes: readonly JudgedCause[];
  /** Milliseconds of work in the worker thread. */
  readonly ms: number;
}
