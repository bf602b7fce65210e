import cliProgress from 'cli-progress';

/** How far long work has come. */
export interface Progress {
  advance(by: number): void;
  /** Has to be called, also when the work failed. */
  end(): void;
}

const bar = (what: string, total: number, unit: string): Progress => {
  const drawn = new cliProgress.SingleBar(
    {
      format: `${what}  {bar}  {value} of {total} ${unit}, {duration_formatted}`,
      barsize: 30,
      stream: process.stderr,
      // It would take the first Ctrl-C for itself, and an import has to end at once.
      gracefulExit: false,
      hideCursor: null,
    },
    cliProgress.Presets.shades_classic,
  );
  drawn.start(total, 0);
  return { advance: (by) => drawn.increment(by), end: () => drawn.stop() };
};

/** A line whenever another tenth is done. */
const lines = (what: string, total: number, unit: string, write: (line: string) => void): Progress => {
  let done = 0;
  let told = 0;
  return {
    advance(by) {
      done += by;
      const tenths = Math.floor((done * 10) / total);
      if (tenths > told) write(`${what}: ${done} of ${total} ${unit}\n`);
      told = tenths;
    },
    end() {},
  };
};

const nothingToDo: Progress = { advance() {}, end() {} };

/** Begins to show how far work of so many units has come. */
export type StartProgress = (what: string, total: number, unit: string) => Progress;

/** Shows it as a bar on a terminal, and as plain lines in a pipe. Goes to standard error. */
export const startProgress: StartProgress = (what, total, unit) => {
  if (total === 0) return nothingToDo;
  if (process.stderr.isTTY) return bar(what, total, unit);
  return lines(what, total, unit, (line) => {
    process.stderr.write(line);
  });
};
