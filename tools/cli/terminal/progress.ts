import type { Output } from './table.ts';

export interface ProgressOptions {
  readonly to?: Output;
  readonly now?: () => number;
}

/**
 * The time between two lines in milliseconds, on a terminal and in a pipe, which keeps them all.
 */
const [terminalPauseMs, pipePauseMs] = [1_000, 10_000];

const defaultColumns = 80;

/**
 * Starts to show how far long work is: a line when a step begins, then one in each pause; on a
 * terminal each over the last one.
 */
export const startProgress = ({
  to = process.stderr,
  now = () => performance.now(),
}: ProgressOptions = {}) => {
  const pauseMs = to.isTTY ? terminalPauseMs : pipePauseMs;
  let shown: { readonly step: string; readonly at: number } | undefined;
  return {
    show(step: string, text: string): void {
      if (shown?.step === step && now() - shown.at < pauseMs) return;
      shown = { step, at: now() };
      const line = `${step}: ${text}`;
      to.write(
        to.isTTY ? `\r\u001b[K${line.slice(0, (to.columns || defaultColumns) - 1)}` : `${line}\n`,
      );
    },
    /** Makes room for what is written next. Must be called, also when the work failed. */
    end(): void {
      if (to.isTTY && shown !== undefined) to.write('\r\u001b[K');
    },
  };
};
