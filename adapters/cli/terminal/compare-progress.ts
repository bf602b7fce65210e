import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import { durationText } from '../../../src/domain/instants.ts';
import type { Wait } from '../../compare/targets/retry-after.ts';

/** How far a comparison has come, and what it waits for. Goes to standard error: a bar on a terminal, lines in a pipe. */
export interface CompareProgress {
  /** A case begins. */
  begin(name: string): void;
  readonly wait: Wait;
  /** Has to be called, also when the comparison failed. */
  end(): void;
}

const nothing = (): void => {};

/** For what takes a moment: nothing is shown. */
export const silentProgress: CompareProgress = {
  begin: nothing,
  wait: (_form, seconds) => sleep(seconds * 1000),
  end: nothing,
};

const lines = (): CompareProgress => ({
  begin: nothing,
  async wait(form, seconds) {
    process.stderr.write(`Waiting ${durationText(seconds * 1000)} for the quota of the ${form} form.\n`);
    await sleep(seconds * 1000);
  },
  end: nothing,
});

const bar = (total: number): CompareProgress => {
  const drawn = new cliProgress.SingleBar(
    {
      format: '{bar}  {value} of {total} cases  {doing}',
      barsize: 24,
      stream: process.stderr,
      gracefulExit: false,
      hideCursor: null,
    },
    cliProgress.Presets.shades_classic,
  );
  drawn.start(total, 0, { doing: 'asking for what is there' });
  return {
    begin: (name) => drawn.increment(1, { doing: name }),
    async wait(form, seconds) {
      for (let left = seconds; left > 0; left--) {
        drawn.update({ doing: `waiting ${durationText(left * 1000)} for the quota of the ${form} form` });
        await sleep(1000);
      }
    },
    end: () => drawn.stop(),
  };
};

export const startCompareProgress = (cases: number): CompareProgress => (process.stderr.isTTY ? bar(cases) : lines());
