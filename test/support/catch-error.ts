import { Problem, type ProblemKind } from '../../src/domain/problem.ts';

/** Returns what an action throws or rejects with. Throws when the action succeeds. */
export const catchError = async (action: () => unknown): Promise<unknown> => {
  let result: unknown;
  try {
    result = await action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`nothing was thrown; the result is ${String(result)}`);
};

/**
 * Returns the kind of problem an action throws; `undefined` when it succeeds. Rethrows any other
 * error.
 */
export const catchProblemKind = (action: () => unknown): ProblemKind | undefined => {
  try {
    action();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown.kind;
    throw thrown;
  }
};
