import { setTimeout as sleep } from 'node:timers/promises';
import cliProgress from 'cli-progress';
import { formatDuration } from '../../../src/domain/instants.ts';
import type { OnCase } from '../../compare/run.ts';
import type { WaitForQuota } from '../../compare/targets/client.ts';
import { columnsOf } from './layout.ts';

/** Progress of long work, on standard error: a bar on a terminal, lines in a pipe. */
export interface Progress {
  /** Units that are done, of the total. */
  show(done: number): void;
  /** Must be called, also when the work failed. */
  end(): void;
}

/** Starts to show the progress of work: its name, the number of units, and their name. */
type StartProgress = (what: string, total: number, unit: string) => Progress;

const writeLine = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const maxBarSize = 30;

/** A bar beside text that is at most `textWidth` wide. It gets shorter on a narrow terminal, also while it is shown. */
const createBar = (format: string, textWidth: number): cliProgress.SingleBar =>
  new cliProgress.SingleBar(
    {
      format,
      formatBar(progress, options) {
        const barsize = Math.max(0, Math.min(maxBarSize, columnsOf(process.stderr) - textWidth - 1));
        return cliProgress.Format.BarFormat(progress, { ...options, barsize });
      },
      stream: process.stderr,
      // With it the library would handle the first Ctrl-C, but the command has to end at once.
      gracefulExit: false,
      hideCursor: null,
    },
    cliProgress.Presets.shades_classic,
  );

const startBar: StartProgress = (what, total, unit) => {
  const longest = `${what}    ${total} of ${total} ${unit}, 59m59s`;
  const bar = createBar(`${what}  {bar}  {value} of {total} ${unit}, {duration_formatted}`, longest.length);
  bar.start(total, 0);
  return { show: (done) => bar.update(done), end: () => bar.stop() };
};

/** Writes a line for every 10 %. */
const startLines: StartProgress = (what, total, unit) => {
  let writtenTenths = 0;
  return {
    show(done) {
      const tenths = Math.floor((done * 10) / total);
      if (tenths > writtenTenths) writeLine(`${what}: ${done} of ${total} ${unit}`);
      writtenTenths = tenths;
    },
    end() {},
  };
};

const emptyProgress: Progress = { show() {}, end() {} };

export const startProgress: StartProgress = (what, total, unit) => {
  if (total === 0) return emptyProgress;
  return process.stderr.isTTY ? startBar(what, total, unit) : startLines(what, total, unit);
};

/** Progress of a comparison, and its waits for a quota. */
export interface CompareProgress {
  /** A case begins (`done` is 0), or was compared for that many artists of `rounds`. */
  readonly onCase: OnCase;
  readonly wait: WaitForQuota;
  /** Says how long it took, if that was long. Must be called, also when the comparison failed. */
  end(): void;
}

/** Shows nothing: an embedded comparison takes seconds. */
export const silentProgress: CompareProgress = {
  onCase() {},
  wait: (_form, seconds) => sleep(seconds * 1000),
  end() {},
};

/** Artists of one case between two lines. */
const roundsBetweenLines = 1000;

const createCompareLines = (writeDuration: () => void): CompareProgress => ({
  onCase({ name }, done, rounds) {
    if (done > 0 && done % roundsBetweenLines === 0) writeLine(`${name}: ${done} of ${rounds} artists`);
  },
  async wait(form, seconds) {
    writeLine(`Waiting ${formatDuration(seconds * 1000)} for the quota of the ${form} form.`);
    await sleep(seconds * 1000);
  },
  end: writeDuration,
});

const startCompareBar = (total: number, writeDuration: () => void): CompareProgress => {
  const bar = createBar('{bar}  {value} of {total} cases  {doing}', `  ${total} of ${total} cases  `.length + 30);
  bar.start(total, 0, { doing: 'loading the first artists' });
  let begun = 0;
  return {
    onCase({ name }, done, rounds) {
      if (done === 0) {
        begun++;
        bar.setTotal(Math.max(total, begun)); // the number of pages of a list is known only at its end
        bar.update(begun, { doing: name });
      } else if (rounds > 1) bar.update({ doing: `${name}: ${done} of ${rounds} artists` });
    },
    async wait(form, seconds) {
      for (let left = seconds; left > 0; left--) {
        bar.update({ doing: `waiting ${formatDuration(left * 1000)} for the quota of the ${form} form` });
        await sleep(1000);
      }
    },
    end() {
      bar.stop();
      writeDuration();
    },
  };
};

/** Shorter comparisons do not say how long they took. */
const minToldMs = 10_000;

/** Starts to show the progress of a comparison with this many cases. */
export const startCompareProgress = (cases: number, now = () => performance.now()): CompareProgress => {
  const begun = now();
  const writeDuration = () => {
    if (now() - begun >= minToldMs) writeLine(`Compared in ${formatDuration(now() - begun)}.`);
  };
  return process.stderr.isTTY ? startCompareBar(cases, writeDuration) : createCompareLines(writeDuration);
};
