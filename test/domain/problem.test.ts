import { expect } from 'chai';
import { Problem } from '../../src/domain/problem.ts';

describe('problems', () => {
  it('are returned unchanged by Problem.from', () => {
    const problem = new Problem('not-found', 'No artist has this id.');
    expect(Problem.from(problem)).to.equal(problem);
  });

  it('of the kind bug wrap any other error as their cause, with a neutral message', () => {
    const cause = new TypeError('secret internals');
    const problem = Problem.from(cause);
    expect(problem).to.include({ kind: 'bug', message: 'An internal error occurred.', cause, retryAfter: undefined });
  });

  for (const thrown of [undefined, null, 'text', 7]) {
    it(`of the kind bug wrap a thrown ${JSON.stringify(thrown) ?? 'undefined'}`, () => {
      expect(Problem.from(thrown)).to.include({ kind: 'bug', cause: thrown });
    });
  }

  it('have retryAfter only when unavailable', () => {
    expect(new Problem('unavailable', 'Later.').retryAfter).to.be.greaterThan(0);
    expect(new Problem('unavailable', 'Later.', { retryAfter: 30 }).retryAfter).to.equal(30);
    expect(new Problem('unauthorized', 'Never.').retryAfter).to.equal(undefined);
  });
});
