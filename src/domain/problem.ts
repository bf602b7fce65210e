/** Every kind of error a request can end with. Each form maps each kind to a status and a code. */
export type ProblemKind =
  | 'invalid-parameter'
  | 'invalid-cursor'
  | 'unauthorized'
  | 'insufficient-scope'
  | 'not-found'
  | 'method-not-allowed'
  | 'window-spent'
  | 'day-spent'
  | 'unavailable'
  | 'bug';

/** `Retry-After` of `unavailable`, in seconds. */
const unavailableRetryAfter = 5;

interface ProblemOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly causedByCaller?: boolean;
}

/**
 * An error to report to a partner. Its message is for engineers and contains no key, no internal
 * name and no stack.
 */
export class Problem extends Error {
  readonly kind: ProblemKind;
  /** Whole seconds to wait before retrying; `undefined` if waiting does not help. */
  readonly retryAfter: number | undefined;
  /**
   * True if the caller caused an `unavailable`. Then the request costs a unit like a success
   * (decisions, "Quotas").
   */
  readonly causedByCaller: boolean;

  constructor(kind: ProblemKind, message: string, options: ProblemOptions = {}) {
    // Only a bug needs a stack. Capturing one takes a few percent of a rejection, and a flood is
    // rejected thousands of times per second.
    const { stackTraceLimit } = Error;
    if (kind !== 'bug') Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Problem';
    this.kind = kind;
    this.retryAfter =
      options.retryAfter ?? (kind === 'unavailable' ? unavailableRetryAfter : undefined);
    this.causedByCaller = options.causedByCaller ?? false;
  }

  /**
   * Converts a thrown value: returns a `Problem` unchanged; anything else becomes a `bug`, whose
   * cause only goes to the log.
   */
  static from(thrown: unknown): Problem {
    return thrown instanceof Problem
      ? thrown
      : new Problem('bug', 'An internal error occurred.', { cause: thrown });
  }
}

/** The catalogue or a history cannot be read, or is too old. The cause only goes to the log. */
export const dataUnavailable = (cause?: unknown): Problem =>
  new Problem('unavailable', 'Artist data is temporarily unavailable.', { cause });
