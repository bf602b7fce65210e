import { expect } from 'chai';
import { type CompareProgress, startCompareProgress, startProgress } from '../../adapters/cli/terminal/progress.ts';
import { sideOf } from '../../adapters/compare/cases/cases.ts';
import { caseOf } from '../../adapters/compare/cases/shortlist.ts';

/** Standard error, and a clock that stands still until it is moved. */
const createOutput = (isTTY: boolean) => {
  const texts: string[] = [];
  const clock = { ms: 5 };
  const to = { isTTY, columns: 40, write: (text: string) => texts.push(text) };
  return { options: { to, now: () => clock.ms }, clock, written: () => texts.splice(0).join('') };
};

describe('progress of long work', () => {
  it('is a line at once and then every 10 seconds in a pipe', () => {
    const { options, clock, written } = createOutput(false);
    const { show, end } = startProgress('Writing', 500, 'artists', options);
    for (let done = 50; done <= 500; done += 50) {
      show(done);
      clock.ms += 3_000;
    }
    end();
    expect(written()).to.equal(
      ['Writing: 50 of 500 artists', 'Writing: 250 of 500 artists', 'Writing: 450 of 500 artists', ''].join('\n'),
    );
  });

  it('is one line on a terminal, each second over itself, no wider than it, and gone at the end', () => {
    const { options, clock, written } = createOutput(true);
    const { show, end } = startProgress('Reading', 123_456, 'series of a long name', options);
    show(1);
    expect(written()).to.equal('\r\u001b[KReading: 1 of 123456 series of a long…');
    clock.ms += 999;
    show(2);
    expect(written()).to.equal('');
    clock.ms += 1;
    show(3);
    expect(written()).to.include('\r\u001b[KReading: 3 of ');
    end();
    expect(written()).to.equal('\r\u001b[K');
  });

  it('is nothing where there is nothing to do', () => {
    for (const isTTY of [true, false]) {
      const { options, written } = createOutput(isTTY);
      const { show, end } = startProgress('Reading', 0, 'MB', options);
      show(0);
      end();
      expect(written()).to.equal('');
    }
  });
});

describe('progress of a comparison', () => {
  const side = sideOf('/artists');
  const walk = caseOf({ name: 'all-by-id', asks: 'Everybody', current: side, variant: side });
  const compare = ({ onCase }: CompareProgress, tick: () => void) => {
    onCase(walk, 0, 1);
    for (let done = 0; done <= 2_500; done++) {
      tick();
      onCase(walk, done, 2_500);
    }
  };

  it('names the case and its artists, and more cases than were foreseen', () => {
    const { options, clock, written } = createOutput(false);
    const progress = startCompareProgress(1, options);
    compare(progress, () => {
      clock.ms += 10;
    });
    expect(written()).to.equal(
      ['2 of 2 cases: all-by-id, 999 of 2500 artists', '2 of 2 cases: all-by-id, 1999 of 2500 artists', ''].join('\n'),
    );
    progress.end();
    expect(written()).to.equal('Compared in 25s.\n');
  });

  it('does not tell the duration of a comparison of less than 10 seconds', () => {
    const { options, clock, written } = createOutput(false);
    const progress = startCompareProgress(1, options);
    clock.ms += 9_999;
    progress.end();
    expect(written()).to.equal('');
  });

  it('says how long it waits for a quota', async () => {
    const { options, clock, written } = createOutput(true);
    const { wait } = startCompareProgress(1, options);
    clock.ms += 1_000;
    await wait('current', 1);
    expect(written()).to.equal('\r\u001b[KWaiting 1s for the quota of the curren…');
  });
});
