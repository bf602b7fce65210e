/** Everything that can keep the gateway from answering a question. Each form decides how it says each of them. */
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

/** Seconds after which a store that did not answer is worth another try. */
const retryUnavailableAfter = 5;

/** A reason for no answer. The message is for the partner's people: it never holds a key, an internal name or a stack. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  /** Whole seconds until asking again makes sense, where waiting helps. */
  readonly retryAfter: number | undefined;

  constructor(kind: ProblemKind, message: string, options: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'Problem';
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? (kind === 'unavailable' ? retryUnavailableAfter : undefined);
  }

  /** A thrown value as a problem: itself when it is one, else a `bug` whose cause is for the log alone. */
  static from(thrown: unknown): Problem {
    return thrown instanceof Problem ? thrown : new Problem('bug', 'An internal error occurred.', { cause: thrown });
  }
}
