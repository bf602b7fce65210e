import { Command } from 'commander';
import { version } from '../../src/runtime/config.ts';
import { commandTable } from './command-table.ts';

/** Adds arguments, options and the action to a command. */
export type DefineCommand = (command: Command) => Command;

interface Entry {
  readonly name: string;
  readonly description: string;
  /** An example invocation, for `--help`; without it the command adds examples itself. */
  readonly example?: string;
}

/** A command. Its code is loaded when it is called or its help is shown. */
export interface CommandEntry extends Entry {
  readonly load: () => Promise<DefineCommand>;
}

export interface CommandGroup extends Entry {
  readonly commands: readonly CommandEntry[];
}

/** Help texts are wrapped also on terminals with little space beside the options' names, in columns. */
const minHelpWidth = 20;

const describe = ({ name, description, example }: Entry): Command => {
  const command = new Command(name).description(description).configureHelp({ minWidthToWrap: minHelpWidth });
  return example === undefined ? command : command.addHelpText('after', `\nExample:\n  ${example}`);
};

/** The entry with this name; all entries when none has it, for help and suggestions. */
const select = <Named extends Entry>(entries: readonly Named[], name: string | undefined): readonly Named[] => {
  const named = entries.filter((entry) => entry.name === name);
  return named.length > 0 ? named : entries;
};

const load = async (entry: CommandEntry | CommandGroup, args: readonly string[]): Promise<Command> => {
  const command = describe(entry);
  if ('load' in entry) return (await entry.load())(command);
  for (const child of select(entry.commands, args[0])) command.addCommand(await load(child, []));
  return command;
};

/** The program with the commands that its arguments name. */
export const createProgram = async ([name, ...args]: readonly string[]): Promise<Command> => {
  const program = new Command('artist-gateway')
    .description('An artist-intelligence gateway that answers one question in two forms.')
    .version(version)
    .addHelpText(
      'after',
      '\nExample:\n  artist-gateway catalogue import /data/charts-2026\n\nExit codes: 0 done, 1 refused or found something, 2 called incorrectly.',
    );
  for (const entry of select(commandTable, name)) program.addCommand(await load(entry, args));
  return program;
};
