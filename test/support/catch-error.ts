import { Problem, type ProblemKind } from '../../src/domain/problem.ts';

/** What an action throws, or what the promise it returns rejects with. Throws itself when nothing goes wrong. */
export const problemRaisedBy = async (action: () => unknown): Promise<unknown> => {
  let result: unknown;
  try {
    result = await action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`nothing was raised; the result is ${String(result)}`);
};

/** The kind of problem an action raises; `undefined` when it raises none. */
export const kindRaisedBy = (action: () => unknown): ProblemKind | undefined => {
  try {
    action();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown.kind;
    throw thrown;
  }
};
