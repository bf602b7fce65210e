import { expect } from 'chai';
import { startCompareProgress } from '../../tools/cli/compare/progress.ts';
import { startProgress } from '../../tools/cli/terminal/progress.ts';
import { createSide } from '../../tools/compare/cases/cases.ts';
import { caseOf } from '../../tools/compare/cases/shortlist.ts';

/** Standard error, and a clock that stands still until it is moved. */
const createOutput = (isTTY: boolean) => {
  const texts: string[] = [];
  const clock = { ms: 5 };
  const to = { isTTY, columns: 40, write: (text: string) => texts.push(text) };
  return { options: { to, now: () => clock.ms }, clock, written: () => texts.splice(0).join('') };
};

describe('progress of long work', () => {
  it('prints a line per step, then every 10 seconds, if output is a pipe', () => {
    const { options, clock, written } = createOutput(false);
    const { show, end } = startProgress(options);
    for (const step of ['Comparing', 'Writing'])
      for (let done = 100; done <= 500; done += 100) {
        show(step, `${done} of 500 artists`);
        clock.ms += 4_000;
      }
    end();
    const lines = ['Comparing', 'Writing'].flatMap((step) =>
      [100, 400].map((done) => `${step}: ${done} of 500 artists\n`),
    );
    expect(written()).to.equal(lines.join(''));
  });

  it('redraws one terminal line each second, cut to its width, then clears it', () => {
    const { options, clock, written } = createOutput(true);
    const { show, end } = startProgress(options);
    end();
    expect(written(), 'before a step').to.equal('');
    show('Reading', '1 of 123456 series of a long name');
    expect(written()).to.equal('\r\u001b[KReading: 1 of 123456 series of a long n');
    clock.ms += 999;
    show('Reading', '2 of 123456');
    expect(written()).to.equal('');
    clock.ms += 1;
    show('Reading', '3 of 123456');
    expect(written()).to.include('\r\u001b[KReading: 3 of ');
    end();
    expect(written()).to.equal('\r\u001b[K');
  });
});

describe('progress of a comparison', () => {
  const side = createSide('/artists');
  const walk = caseOf({ name: 'all-by-id', asks: 'Everybody', current: side, variant: side });

  it('prints the case, its artist count, unplanned cases and the wait', async () => {
    const { options, clock, written } = createOutput(false);
    const { onCase, wait } = startCompareProgress(1, options);
    onCase(walk, 0, 1);
    for (let done = 0; done <= 2_500; done++) {
      clock.ms += 10;
      onCase(walk, done, 2_500);
    }
    await wait('current', 1);
    expect(written()).to.equal(
      [
        'Comparing: 1 of 1 cases: all-by-id',
        'Comparing: 2 of 2 cases: all-by-id, 999 of 2500 artists',
        'Comparing: 2 of 2 cases: all-by-id, 1999 of 2500 artists',
        'Waiting: 1s before the next request in the current form\n',
      ].join('\n'),
    );
  });
});
