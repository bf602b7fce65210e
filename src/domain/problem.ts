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
  readonly isCallersDoing?: boolean;
}

/**
 * An error to report to a partner. Its message is for engineers and holds no key, no internal name
 * and no stack.
 */
export class Problem extends Error {
  readonly kind: ProblemKind;
  /** Whole seconds to wait before retrying; `undefined` when waiting does not help. */
  readonly retryAfter: number | undefined;
  /**
   * True if the caller itself is the cause of an `unavailable`, which then costs a unit like an
   * answer (decisions, "Quotas").
   */
  readonly isCallersDoing: boolean;

  constructor(kind: ProblemKind, message: string, options: ProblemOptions = {}) {
    // Only a bug needs a stack. Capturing one takes some per cent of a refusal, and a flood is
    // refused thousands of times a second.
    const { stackTraceLimit } = Error;
    if (kind !== 'bug') Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Problem';
    this.kind = kind;
    this.retryAfter =
      options.retryAfter ?? (kind === 'unavailable' ? unavailableRetryAfter : undefined);
    this.isCallersDoing = options.isCallersDoing ?? false;
  }

  /**
   * Converts a thrown value: a `Problem` is returned unchanged, anything else becomes a `bug` whose
   * cause goes only to the log.
   */
  static from(thrown: unknown): Problem {
    return thrown instanceof Problem
      ? thrown
      : new Problem('bug', 'An internal error occurred.', { cause: thrown });
  }
}

/** The catalogue or a history cannot be read, or is too old; the cause goes only to the log. */
export const dataUnavailable = (cause?: unknown): Problem =>
  new Problem('unavailable', 'Artist data is temporarily unavailable.', { cause });
