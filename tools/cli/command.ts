import type { Command } from '@commander-js/extra-typings';

export type DefineCommand = (command: Command) => unknown;

/** Loads a command's code, for a call or for the help of the command or its group. */
export type LoadCommand = () => Promise<DefineCommand>;

export interface CommandGroup {
  readonly description: string;
  readonly example: string;
  readonly commands: Commands<LoadCommand>;
}

export type Commands<Kind = LoadCommand | CommandGroup> = Readonly<Record<string, Kind>>;

export const example = (call: string) => ['after', `\nExample:\n  ${call}`] as const;
