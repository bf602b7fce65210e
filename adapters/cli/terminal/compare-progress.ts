import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import { durationText } from '../../../src/domain/instants.ts';
import type { WaitForQuota } from '../../compare/targets/client.ts';

/** Shows the progress of a comparison on standard error: a bar on a terminal, lines in a pipe. */
export interface CompareProgress {
  /** Call at the start of a case. */
  begin(name: string): void;
  readonly wait: WaitForQuota;
  /** Call at the end, also when the comparison failed. */
  end(): void;
}

const doNothing = (): void => {};

/** Shows nothing: for a comparison in this process, which takes seconds. */
export const silentProgress: CompareProgress = {
  begin: doNothing,
  wait: (_form, seconds) => sleep(seconds * 1000),
  end: doNothing,
};

const createLines = (): CompareProgress => ({
  begin: doNothing,
  async wait(form, seconds) {
    process.stderr.write(`Waiting ${durationText(seconds * 1000)} for the quota of the ${form} form.\n`);
    await sleep(seconds * 1000);
  },
  end: doNothing,
});

const createBar = (total: number): CompareProgress => {
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar}  {value} of {total} cases  {doing}',
      barsize: 24,
      stream: process.stderr,
      gracefulExit: false,
      hideCursor: null,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { doing: 'asking for what is there' });
  return {
    begin: (name) => bar.increment(1, { doing: name }),
    async wait(form, seconds) {
      for (let left = seconds; left > 0; left--) {
        bar.update({ doing: `waiting ${durationText(left * 1000)} for the quota of the ${form} form` });
        await sleep(1000);
      }
    },
    end: () => bar.stop(),
  };
};

export const startCompareProgress = (cases: number): CompareProgress =>
  process.stderr.isTTY ? createBar(cases) : createLines();
