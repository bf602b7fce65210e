import type { Command } from '@commander-js/extra-typings';

/** Adds arguments, options and the action to a command. The types of what the action gets follow from them. */
export type DefineCommand = (command: Command) => unknown;

interface Entry {
  readonly description: string;
  /** An example invocation, for `--help`; without it the command adds examples itself. */
  readonly example?: string;
}

/** A command. Its code is loaded when it is called or its help is shown. */
export interface CommandEntry extends Entry {
  readonly load: () => Promise<DefineCommand>;
}

export interface CommandGroup extends Entry {
  readonly commands: Commands<CommandEntry>;
}

/** Commands by name, in the order of `--help`. */
export type Commands<Kind = CommandEntry | CommandGroup> = Readonly<Record<string, Kind>>;
