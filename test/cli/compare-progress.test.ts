import { expect } from 'chai';
import { startCompareProgress } from '../../adapters/cli/terminal/progress.ts';
import { sideOf } from '../../adapters/compare/cases/cases.ts';
import { caseOf } from '../../adapters/compare/cases/shortlist.ts';

describe('progress of a comparison in a pipe', () => {
  const side = sideOf('/artists');
  const walk = caseOf({ name: 'all-by-id', asks: 'Everybody', current: side, variant: side });

  /** What a comparison of 2,500 artists writes that takes this many milliseconds. */
  const written = (ms: number): string => {
    const texts: string[] = [];
    const { stderr } = process;
    const [{ write }, isTTY] = [stderr, stderr.isTTY];
    stderr.isTTY = false;
    stderr.write = (text: string | Uint8Array) => texts.push(String(text)) > 0;
    let time = 0;
    try {
      const { onCase, end } = startCompareProgress(1, () => time);
      for (let done = 0; done <= 2500; done++) onCase(walk, done, 2500);
      time = ms;
      end();
    } finally {
      Object.assign(stderr, { write, isTTY });
    }
    return texts.join('');
  };

  it('has a line for every thousand artists, and the duration at its end', () => {
    expect(written(75_000)).to.equal(
      'all-by-id: 1000 of 2500 artists\nall-by-id: 2000 of 2500 artists\nCompared in 1m 15s.\n',
    );
  });

  it('does not tell the duration of a comparison of less than 10 seconds', () => {
    expect(written(9_999)).to.equal('all-by-id: 1000 of 2500 artists\nall-by-id: 2000 of 2500 artists\n');
  });
});
