import type { Command } from 'commander';

/** The options of a command that prints a listing or facts. */
export interface ShowOptions {
  readonly json?: boolean;
  readonly wide?: boolean;
}

/** Adds the options of a command that prints a listing or facts; `--json` prints `json`. */
export const withShowOptions = (command: Command, json = 'a JSON array'): Command =>
  command
    .option('--json', `print ${json}`)
    .option('--wide', 'print all of every value, in lines of any width, with exact instants');
