import { expect } from 'chai';
import { Problem } from '../../src/domain/problem.ts';

describe('problem', () => {
  it('is itself when it is thrown', () => {
    const problem = new Problem('not-found', 'No artist has this id.');
    expect(Problem.from(problem)).to.equal(problem);
  });

  it('hides any other error behind a message that tells nothing, and keeps it for the log', () => {
    const cause = new TypeError('secret internals');
    const problem = Problem.from(cause);
    expect(problem).to.include({ kind: 'bug', message: 'An internal error occurred.', cause, retryAfter: undefined });
  });

  for (const thrown of [undefined, null, 'text', 7]) {
    it(`takes ${JSON.stringify(thrown) ?? 'undefined'} for a bug when it is thrown`, () => {
      expect(Problem.from(thrown)).to.include({ kind: 'bug', cause: thrown });
    });
  }

  it('tells when to ask again where something is unavailable', () => {
    expect(new Problem('unavailable', 'Later.').retryAfter).to.be.greaterThan(0);
    expect(new Problem('unavailable', 'Later.', { retryAfter: 30 }).retryAfter).to.equal(30);
    expect(new Problem('unauthorized', 'Never.').retryAfter).to.equal(undefined);
  });
});
